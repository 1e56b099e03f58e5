import type { GroupColumn } from "../../contract/groups/group-fields.ts";
import { foldOf } from "../field-fold.ts";
import type { ListFields } from "../lists/list-fields.ts";
import type { ListQuery } from "../lists/listing.ts";

/** What lists of groups sort and filter by, besides custom fields. */
export const groupListFields: ListFields<GroupColumn> = {
  id: { type: "number" },
  name: { type: { fold: foldOf("name") } },
  memberCount: { type: "number" },
  version: { type: "number" },
  createdAt: { type: "time" },
  updatedAt: { type: "time" },
};

export type GroupListQuery = ListQuery<GroupColumn>;
