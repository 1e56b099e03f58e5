import type { GroupRecord } from "../contract/groups/group.ts";
import { groupFields } from "../contract/groups/group-fields.ts";
import type { Json, JsonObject } from "../contract/json.ts";
import { groupKind, urns } from "./attributes.ts";
import { addSchemas, metaOf } from "./common-members.ts";
import { showExtensions, storeScim } from "./extensions.ts";
import { FieldSlots } from "./field-slots.ts";
import { ScimError } from "./scim-error.ts";

const slots = new FieldSlots(
  groupKind,
  Object.keys(groupFields).filter((field) => field !== "name"),
);

/** The id of a group in SCIM: no user has it. */
export function groupIdText(id: number): string {
  return `g${id}`;
}

/**
 * A group as SCIM shows it, without its members. `group` is the JSON that the API returns, `locate` makes the URL of a path.
 * Values are those of `group`: do not modify them.
 */
export function groupDocument(group: JsonObject, locate: (path: string) => string): JsonObject {
  const id = groupIdText(Number(group.id));
  const schemas: Json[] = [urns.group];
  const document: JsonObject = { schemas, id };
  slots.show(group, document);
  showExtensions(groupKind, group.scim, document);
  addSchemas(groupKind, schemas, document);
  document.meta = metaOf(groupKind, group, locate(`/Groups/${id}`));
  return document;
}

/**
 * The record of a document. `before` is the group that the document was made of, as the API returns it; undefined for a new one.
 * `shown` is the document of `before`. What the document shows as before stays as it is stored. Fails with `invalidValue`.
 */
export function groupRecord(
  document: JsonObject,
  before: JsonObject | undefined,
  shown = before ? groupDocument(before, (path) => path) : {},
): GroupRecord {
  const { name, ...fields } = slots.change({ document, before, shown });
  if (typeof name !== "string") throw new ScimError("invalidValue", "displayName is required.");
  const scim = storeScim(groupKind, { document, before, shown });
  return { name, ...fields, ...(scim && { scim }) };
}
