import { IsDate, IsDateTime, IsIPv4, IsIPv6, IsTime, IsUri, IsUuid } from "typebox/format";
import type { schemaFormats } from "../../contract/schema/schema.ts";
import { EMAIL_PATTERN } from "../../contract/users/user.ts";

type SchemaFormat = (typeof schemaFormats)[number];

const emailPattern = new RegExp(EMAIL_PATTERN);
const MAX_HOST_CHARACTERS = 253;
const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Whether a text has a format. Every test takes linear time. */
export const formatTests: Readonly<Record<SchemaFormat, (text: string) => boolean>> = {
  date: IsDate,
  // Without the suffix of RFC 9557.
  "date-time": (text) => !text.includes("[") && IsDateTime(text),
  time: (text) => IsTime(text),
  email: (text) => emailPattern.test(text),
  hostname: (text) => text.length <= MAX_HOST_CHARACTERS && HOST_NAME.test(text),
  ipv4: IsIPv4,
  ipv6: IsIPv6,
  uri: IsUri,
  uuid: IsUuid,
};

export function isSchemaFormat(name: string): name is SchemaFormat {
  return Object.hasOwn(formatTests, name);
}
