import Type from "typebox";
import { listParametersOf } from "../list-parameters.ts";
import { GROUP_PARAMETER, listLimits } from "../listing.ts";
import type { Parameter } from "../operation.ts";
import { Id } from "../scalars.ts";
import { columnFields } from "./user-fields.ts";

/** Selects the members of groups. The handler of a list, which reads the query, requires the scope. */
export const groupParameter = {
  in: "query",
  name: GROUP_PARAMETER,
  description: `Only members of the group with this id. A repeated parameter matches members of any of the groups (at most ${listLimits.filterValues}). A group that does not exist has no members. In \`filter\`, write \`groups eq 7\`, \`groups.name eq "Sales"\` or \`groups pr\`, joined to the rest by \`and\`. It counts as one of the fields that a list filters by. This needs the scope \`groups:read\` too. To filter by a custom field \`group\`, use \`filter=group eq "…"\`.`,
  schema: Type.Array(Id, { maxItems: listLimits.filterValues }),
  needs: { scope: "groups:read", query: GROUP_PARAMETER },
  component: "MembersOf",
} as const satisfies Parameter;

const parameters = listParametersOf({
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

/** The query parameters of `GET /api/users`, and of its explanation. */
export const userListParameters = {
  ...parameters,
  group: groupParameter,
  all: [...parameters.all, groupParameter] as const,
};
