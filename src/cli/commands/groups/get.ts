import { groupAccess } from "../../records/record-access.ts";
import { getCommand } from "../../records/single-record.ts";

export const get = getCommand(groupAccess, {
  description: `The exit code is 3 if the group does not exist.`,
  examples: ["roster groups get sales", "roster groups get 7 | jq .memberCount"],
});
