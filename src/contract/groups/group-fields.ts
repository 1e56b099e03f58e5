import { type ColumnFieldOf, type FieldFacts, RecordFields } from "../record-fields.ts";

/** The fields of groups, in the order of a response: custom fields follow the name. */
export const groupFields = {
  id: { kind: "managed", type: "number", hasColumn: true },
  name: { kind: "core", type: "text", hasColumn: true },
  /** What SCIM sends and has no other place. */
  scim: { kind: "core", type: "object", hasColumn: false },
  memberCount: { kind: "managed", type: "number", hasColumn: true },
  version: { kind: "managed", type: "number", hasColumn: true },
  createdAt: { kind: "managed", type: "time", hasColumn: true },
  updatedAt: { kind: "managed", type: "time", hasColumn: true },
} as const satisfies Readonly<Record<string, FieldFacts>>;

/** A field that lists of groups can sort by, besides custom fields. */
export type GroupColumn = ColumnFieldOf<typeof groupFields>;

export const groupRecordFields = new RecordFields(groupFields);

/** Names that fields of groups may get a meaning for later. */
export const reservedGroupFields = ["members", "rule"] as const;
