import { parseUserExpression } from "../../domain/lists/group-filters.ts";
import { userListFields } from "../../domain/users/user-list-fields.ts";
import { ListQueryParser } from "./list-query.ts";

/** Parses the query strings of lists of users. */
export const userQueries = new ListQueryParser(userListFields, parseUserExpression);
