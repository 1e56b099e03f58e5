import { groupListFields } from "../../domain/groups/group-list-fields.ts";
import { ListQueryParser } from "./list-query.ts";

/** Parses the query strings of lists of groups. */
export const groupQueries = new ListQueryParser(groupListFields);
