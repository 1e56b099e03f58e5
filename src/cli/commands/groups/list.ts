import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { explainFlag, listFlags, searchFlags, toSearch } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { listRecords } from "../../records/list-records.ts";
import { groupList } from "../../records/list-sources.ts";
import { groupKind } from "../../records/record-kind.ts";

const flags = {
  ...searchFlags(groupKind),
  ...listFlags(groupKind),
  explain: explainFlag(groupKind),
  ...serviceFlags,
} as const;

export const list: Command = {
  flags,
  description: `If there are more groups than the limit, says so on stderr, with the command that continues the list.`,
  examples: [
    "roster groups list",
    "roster groups list --q sales --sort -memberCount --limit 20",
    "roster groups list --where region=north | jq .name",
    `roster groups list --filter 'memberCount ge 10 and name sw "Sales"'`,
    "roster groups list --columns name,memberCount --output csv > names.csv",
  ],

  async run(args, context) {
    const view = readFlags(flags, args, context.env, "roster groups list --help");
    const source = groupList(openClient(view, context.env));
    await listRecords(source, { ...view, search: toSearch(groupKind, view), args }, context);
  },
};
