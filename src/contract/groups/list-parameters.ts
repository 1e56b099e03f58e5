import { listParametersOf } from "../list-parameters.ts";
import { groupRecordFields } from "./group-fields.ts";

/** The query parameters of `GET /api/groups`, and of its explanation. */
export const groupListParameters = listParametersOf({
  one: "group",
  prefix: "Group",
  columns: groupRecordFields.columns,
  sortedAsCustom: [],
  searched: "the name",
  searchedStarts: "the start of the name, or of a word in it",
  unaccented: "names",
  caseless: "Names",
  examples: {
    search: "sales",
    filter: 'memberCount ge 10 and name sw "Sales"',
    sort: "-memberCount",
    fields: "id,name,memberCount",
    filters: { region: ["north", "south"] },
  },
});
