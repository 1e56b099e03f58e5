import { groupAccess } from "../../records/record-access.ts";
import { changeCommand } from "../../records/single-record.ts";

export const replace = changeCommand(groupAccess, "replace", {
  description: `You can send back a whole group: its id, number of members, version and times are ignored. Its members stay. Values are
parsed as in roster groups create.`,
  examples: [
    "roster groups replace sales name=Sales region=west",
    "roster groups get 7 | jq '.region = \"west\"' | roster groups replace 7 -",
  ],
});
