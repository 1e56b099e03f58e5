import type { ColumnField } from "../../contract/users/user-fields.ts";
import { foldOf } from "../field-fold.ts";
import type { ListFields } from "../lists/list-fields.ts";
import type { ListQuery } from "../lists/listing.ts";

/** What lists of users sort and filter by, besides custom fields. */
export const userListFields: ListFields<ColumnField> = {
  id: { type: "number" },
  name: { type: { fold: foldOf("name") } },
  email: { type: { fold: foldOf("email") }, isOptional: true },
  version: { type: "number" },
  createdAt: { type: "time" },
  updatedAt: { type: "time" },
};

export type UserListQuery = ListQuery<ColumnField>;
