import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts";
import type { ScimAnswer } from "../../../test/api/scim/support/scim-caller.ts";

/** What can be compared of an answer: texts by what they say. */
export type Aspects = ReadonlyMap<string, string>;

/** The status, and the `scimType` of an error. */
export function outcomeOf({ status, body }: ScimAnswer): string {
  return body.scimType === undefined ? String(status) : `${status} ${body.scimType}`;
}

/** The headers and the attributes. `names` has a name for each id. */
export function aspectsOf(
  { status, headers, body }: ScimAnswer,
  names: ReadonlyMap<string, string>,
): Aspects {
  const aspects = new Map<string, string>();
  if (status !== 204) aspects.set("Content-Type", headers.get("content-type")?.split(";")[0] ?? "none");
  aspects.set("Location", headers.has("location") ? "sent" : "none");
  if (status >= 400) {
    aspects.set("error", JSON.stringify([body.schemas ?? null, body.status ?? null, typeof body.detail]));
    return aspects;
  }
  const { Resources, ...others } = body;
  addResource(aspects, "", others, names);
  if (!Array.isArray(Resources)) return aspects;
  const found = Resources.filter(isObject);
  const order = found.map(({ id }) => names.get(String(id)) ?? "another");
  aspects.set("Resources", order.join(" "));
  for (const [index, resource] of found.entries()) addResource(aspects, `${order[index]}.`, resource, names);
  return aspects;
}

function addResource(
  aspects: Map<string, string>,
  prefix: string,
  { meta, ...resource }: JsonObject,
  names: ReadonlyMap<string, string>,
): void {
  for (const [name, value] of Object.entries(resource))
    aspects.set(prefix + name, JSON.stringify(withNames(value, names)));
  if (!isObject(meta)) return;
  for (const name of Object.keys(meta)) aspects.set(`${prefix}meta.${name}`, "shown");
}

/** The value with a name instead of each id, with URLs without their origin, and with members in the order of their names. */
function withNames(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") {
    const path = value.replace(/^https?:\/\/[^/]+/, "");
    return (
      names.get(value) ?? path.replace(/[^/]+$/, (id) => (path.startsWith("/") ? (names.get(id) ?? id) : id))
    );
  }
  if (Array.isArray(value)) return value.map((entry) => withNames(entry, names));
  if (!isObject(value)) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return Object.fromEntries(members.map(([name, member]) => [name, withNames(member, names)]));
}
