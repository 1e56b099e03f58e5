import { findUserParameterName, GROUP_PARAMETER } from "../../contract/listing.ts";
import { parseUserExpression } from "../../domain/lists/group-filters.ts";
import { userListFields } from "../../domain/users/user-list-fields.ts";
import { ListQueryParser } from "./list-query.ts";

/** Parses the query strings of lists of users. */
export const userQueries = new ListQueryParser(userListFields, {
  find: findUserParameterName,
  membership: GROUP_PARAMETER,
  parseFilter: parseUserExpression,
});
