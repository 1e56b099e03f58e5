import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { findGroupId } from "../../find-group.ts";
import { groupFlag } from "../../flags/group-flags.ts";
import { explainFlag, listFlags, searchFlags, toSearch } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { listRecords } from "../../records/list-records.ts";
import { memberList } from "../../records/list-sources.ts";
import { userKind } from "../../records/record-kind.ts";

const flags = {
  group: groupFlag,
  ...searchFlags(userKind),
  ...listFlags(userKind),
  explain: explainFlag(userKind),
  ...serviceFlags,
} as const;

export const members: Command = {
  flags,
  description: `Lists the users that are members of a group, with the options of roster users list. For the members of any of several
groups, use roster users list --group. The exit code is 3 if the group does not exist.`,
  examples: [
    "roster groups members sales",
    "roster groups members sales --sort name --columns id,name,email",
    "roster groups members 7 --filter 'plan pr' --all --output csv > team-7.csv",
  ],

  async run(args, context) {
    const { group, ...view } = readFlags(flags, args, context.env, "roster groups members --help");
    const search = toSearch(userKind, view);
    const client = openClient(view, context.env);
    const source = memberList(client, await findGroupId(client, group));
    await listRecords(source, { ...view, search, args }, context);
  },
};
