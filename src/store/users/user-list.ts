import { userRecordFields } from "../../contract/users/user-fields.ts";
import { foldText } from "../../domain/fold.ts";
import { userListFields } from "../../domain/users/user-list-fields.ts";
import type { ListResource } from "../lists/list-resource.ts";

/** Lists of users. */
export const userList: ListResource = {
  table: "users",
  fields: userListFields,
  rowFields: userRecordFields,
  sortOrders: {
    id: [{ key: undefined, keyType: "number", index: undefined, where: "" }],
    name: [{ key: "name_fold", keyType: "text", index: "users_by_name", where: "" }],
    email: [
      { key: "email_fold", keyType: "text", index: "users_by_email", where: "u.email_fold IS NOT NULL" },
      { key: undefined, keyType: "text", index: "users_by_email", where: "u.email_fold IS NULL" },
    ],
    version: [{ key: "version", keyType: "number", index: "users_by_version", where: "", hasTies: true }],
    createdAt: [
      { key: "created_at", keyType: "number", index: "users_by_creation", where: "", followsIds: true },
    ],
    updatedAt: [{ key: "updated_at", keyType: "number", index: "users_by_update", where: "" }],
  },
  columns: {
    id: { unique: true, column: "id" },
    email: { unique: true, column: "email_key" },
    // Filters respect accents; the index does not.
    name: {
      unique: false,
      expression: "coalesce(u.name_key, u.name_fold)",
      column: "name_fold",
      index: "users_by_name",
      toIndexed: (name) => foldText(String(name)),
    },
    version: {
      unique: false,
      expression: "u.version",
      column: "version",
      index: "users_by_version",
    },
    createdAt: {
      unique: false,
      expression: "u.created_at",
      column: "created_at",
      index: "users_by_creation",
    },
    updatedAt: {
      unique: false,
      expression: "u.updated_at",
      column: "updated_at",
      index: "users_by_update",
    },
  },
  customValues: { table: "user_values", ownerColumn: "user_id" },
  search: {
    table: "user_search",
    ownerColumn: "user_id",
    textColumns: ["name_fold", "email_fold"],
    wordStartsColumn: "word_starts",
  },
  memberships: { owner: "user_id", other: "group_id", otherTable: "groups" },
};
