import type { UserRecord } from "../../../contract/users/user.ts";
import { renderUser } from "../../../domain/users/user.ts";

/** Fields that had no meaning in early versions, and the values of them that mean the same today. */
const newFields = new Map<string, (value: unknown) => boolean>([
  ["active", (value) => typeof value === "boolean"],
  ["deletedAt", () => false],
]);
const MENTIONS_NEW_FIELD = new RegExp(`"(${[...newFields.keys()].join("|")})":`);

type EarlierUser = UserRecord & { id: number; version: number; createdAt: string; updatedAt: string };

/** The JSON of a user. Fields that the service uses today get other names: `active` becomes `earlierActive`. */
export function convertUser(json: string): string {
  if (!MENTIONS_NEW_FIELD.test(json)) return json;
  const { id, version, createdAt, updatedAt, ...fields }: EarlierUser = JSON.parse(json);
  const { name, ...others } = fields;
  const record: UserRecord = { name };
  for (const [field, value] of Object.entries(others)) {
    const isKept = newFields.get(field)?.(value) ?? true;
    record[isKept ? field : newName(fields, field)] = value;
  }
  return renderUser(id, record, version, createdAt, updatedAt).json;
}

function newName(fields: UserRecord, field: string): string {
  const name = `earlier${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  return Object.hasOwn(fields, name) ? newName(fields, name) : name;
}
