import { groupAccess } from "../../records/record-access.ts";
import { changeCommand } from "../../records/single-record.ts";

export const update = changeCommand(groupAccess, "update", {
  description: `FIELD=null removes a field. Values are parsed as in roster groups create. For the members, use roster groups add and
roster groups remove.`,
  examples: [
    "roster groups update sales region=south",
    "roster groups update sales region=south --if-version 12",
    `echo '{"address": {"city": "London"}}' | roster groups update 7 -`,
  ],
});
