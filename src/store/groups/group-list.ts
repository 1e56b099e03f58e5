import { groupRecordFields } from "../../contract/groups/group-fields.ts";
import { foldText } from "../../domain/fold.ts";
import { groupListFields } from "../../domain/groups/group-list-fields.ts";
import type { ListResource } from "../lists/list-resource.ts";

/** Lists of groups. */
export const groupList: ListResource = {
  table: "groups",
  fields: groupListFields,
  rowFields: groupRecordFields,
  sortOrders: {
    id: [{ key: undefined, keyType: "number", index: undefined, where: "" }],
    name: [{ key: "name_fold", keyType: "text", index: "groups_by_name", where: "" }],
    memberCount: [
      { key: "member_count", keyType: "number", index: "groups_by_members", where: "", hasTies: true },
    ],
    version: [{ key: "version", keyType: "number", index: "groups_by_version", where: "", hasTies: true }],
    createdAt: [
      { key: "created_at", keyType: "number", index: "groups_by_creation", where: "", followsIds: true },
    ],
    updatedAt: [{ key: "updated_at", keyType: "number", index: "groups_by_update", where: "" }],
  },
  columns: {
    id: { unique: true, column: "id" },
    // Filters respect accents; the index does not.
    name: {
      unique: false,
      expression: "coalesce(u.name_key, u.name_fold)",
      column: "name_fold",
      index: "groups_by_name",
      toIndexed: (name) => foldText(String(name)),
    },
    memberCount: {
      unique: false,
      expression: "u.member_count",
      column: "member_count",
      index: "groups_by_members",
    },
    version: {
      unique: false,
      expression: "u.version",
      column: "version",
      index: "groups_by_version",
    },
    createdAt: {
      unique: false,
      expression: "u.created_at",
      column: "created_at",
      index: "groups_by_creation",
    },
    updatedAt: {
      unique: false,
      expression: "u.updated_at",
      column: "updated_at",
      index: "groups_by_update",
    },
  },
  customValues: { table: "group_values", ownerColumn: "group_id" },
  search: {
    table: "group_search",
    ownerColumn: "group_id",
    textColumns: ["name_fold"],
    wordStartsColumn: "word_starts",
  },
};
