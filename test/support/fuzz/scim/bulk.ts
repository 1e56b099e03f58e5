import { groupKind, userKind } from "../../../../src/scim/attributes.ts";
import { jsonMembers, jsonValue } from "../json-text.ts";
import { oddText } from "../odd-text.ts";
import type { Random } from "../random.ts";
import { patchJson } from "./patches.ts";
import { groupId, resourceJson, spell, userId } from "./resources.ts";

/** Few names, so that operations often refer to each other. */
const bulkIds = ["a", "b", "c", "d"] as const;

const reference = (random: Random) => `bulkId:${random.chance(0.9) ? random.pick(bulkIds) : oddText(random)}`;

function operationJson(random: Random): string {
  if (random.chance(0.03)) return jsonValue(random);
  const method = random.pick(["POST", "POST", "PUT", "PATCH", "DELETE", "post", "GET", "__proto__"]);
  const isUser = random.chance(0.6);
  const kind = isUser ? userKind : groupKind;
  const known = isUser ? userId(random) : groupId(random);
  const id = random.chance(0.3) ? reference(random) : known;
  const isNew = method.toUpperCase() === "POST";
  const path = `${random.chance(0.95) ? kind.endpoint : "/Keys"}${isNew !== random.chance(0.03) ? "" : `/${id}`}`;
  const members: [string, string][] = [
    ["method", JSON.stringify(method)],
    ["path", JSON.stringify(spell(random, path))],
  ];
  if (random.chance(isNew ? 0.8 : 0.1)) members.push(["bulkId", JSON.stringify(random.pick(bulkIds))]);
  if (random.chance(0.1)) members.push(["version", random.pick(['"W/\\"1\\""', '"*"', '"x"', "1"])]);
  if (random.chance(0.95)) members.push(["data", dataJson(random, method, isUser)]);
  return jsonMembers(random, members);
}

function dataJson(random: Random, method: string, isUser: boolean): string {
  const kind = isUser ? userKind : groupKind;
  if (random.chance(0.4)) {
    const other = JSON.stringify(reference(random));
    const name = `${isUser ? "user" : "Group "}${random.below(1_000_000)}`;
    if (method === "PATCH")
      return `{"Operations":[{"op":"add","path":"${isUser ? "manager" : "members"}","value":[{"value":${other}}]}]}`;
    return isUser
      ? `{"userName":"${name}","${userKind.extensions[0]?.id}":{"manager":{"value":${other}}}}`
      : `{"displayName":"${name}","members":[{"value":${other}},${other}]}`;
  }
  return method === "PATCH" ? patchJson(random, kind) : resourceJson(random, kind);
}

const DELETION = '{"method":"DELETE","path":"/Users/999999999"}';

/** The body of a bulk request, mostly valid. */
export function bulkJson(random: Random): string {
  const operations = random.chance(0.01)
    ? Array.from({ length: random.pick([1000, 1001]) }, () => DELETION)
    : random.several(0, 6, () => operationJson(random));
  const members: [string, string][] = [[spell(random, "Operations"), `[${operations.join()}]`]];
  if (random.chance(0.7)) members.push(["schemas", '["urn:ietf:params:scim:api:messages:2.0:BulkRequest"]']);
  if (random.chance(0.3)) members.push(["failOnErrors", random.pick(["1", "2", "0", '"1"', "null"])]);
  return jsonMembers(random, members);
}
