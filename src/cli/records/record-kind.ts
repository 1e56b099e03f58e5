import type { Group, User } from "../../client/index.ts";
import { groupRecordFields } from "../../contract/groups/group-fields.ts";
import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import { userRecordFields } from "../../contract/users/user-fields.ts";
import { filterFlag, filterFlagOf } from "../flags/filter-flag.ts";

/** A user or a group, as the service returns it. */
export type AnyRecord = User | Group;

/** What flags, messages and tables need to know about users, or about groups. */
export interface RecordKind {
  readonly one: "user" | "group";
  readonly many: "users" | "groups";
  readonly fields: FieldsOfRecord;
  /** Fields that have an order of their own in lists. */
  readonly sortFields: readonly string[];
  /** What a search by words looks at. */
  readonly searched: string;
  /** The columns that a table always has. */
  readonly mainColumns: readonly string[];
  /** Whether deleted records can be restored for some time. */
  readonly isRestorable: boolean;
  /** The flag that takes filter expressions. */
  readonly filter: ReturnType<typeof filterFlagOf>;
  readonly examples: {
    /** FIELD=VALUE arguments. */
    readonly name: string;
    readonly other: string;
    readonly customFields: string;
    /** A list of fields. */
    readonly list: string;
  };
}

export const userKind: RecordKind = {
  one: "user",
  many: "users",
  fields: userRecordFields,
  sortFields: [...userRecordFields.columns, "userName"],
  searched: "the name or email",
  mainColumns: ["id", "name", "email"],
  isRestorable: true,
  filter: filterFlag,
  examples: {
    name: 'name="Ada Lovelace"',
    other: "level=3",
    customFields: "level or address.city",
    list: "id,name,address.city",
  },
};

export const groupKind: RecordKind = {
  one: "group",
  many: "groups",
  fields: groupRecordFields,
  sortFields: groupRecordFields.columns,
  searched: "the name",
  mainColumns: ["id", "name", "memberCount"],
  isRestorable: false,
  filter: filterFlagOf("Groups", "memberCount ge 10 and not (region pr)"),
  examples: {
    name: "name=Sales",
    other: "region=north",
    customFields: "region or owner.name",
    list: "id,name,region",
  },
};
