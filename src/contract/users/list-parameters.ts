import { listParametersOf } from "../list-parameters.ts";
import { columnFields } from "./user-fields.ts";

/** The query parameters of `GET /api/users`, and of its explanation. */
export const userListParameters = listParametersOf({
  one: "user",
  prefix: "",
  columns: columnFields,
  sortedAsCustom: ["userName", "active"],
  searched: "the name or the email",
  searchedStarts: "the start of the name, of a word in it, or of the email",
  unaccented: "names and emails",
  caseless: "Names, emails and user names",
  examples: {
    search: "lovelace ada",
    filter: 'department eq "engines" and (level ge 3 or not (plan pr))',
    sort: "-createdAt",
    fields: "id,name,address.city",
    filters: { department: ["engines", "research"] },
  },
});
