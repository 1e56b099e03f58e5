import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { listFlags, searchFlags, toSearch } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { idFlag } from "../../flags/user-flags.ts";
import { listRecords } from "../../records/list-records.ts";
import { groupsOfUser } from "../../records/list-sources.ts";
import { groupKind } from "../../records/record-kind.ts";

const flags = {
  id: idFlag,
  ...searchFlags(groupKind),
  ...listFlags(groupKind),
  ...serviceFlags,
} as const;

export const groups: Command = {
  flags,
  description: `Lists the groups that a user is a member of. The exit code is 3 if the user does not exist.`,
  examples: ["roster users groups 7", "roster users groups 7 --sort name | jq -r .name"],

  async run(args, context) {
    const { id, ...view } = readFlags(flags, args, context.env, "roster users groups --help");
    const source = groupsOfUser(openClient(view, context.env), id);
    await listRecords(source, { ...view, search: toSearch(groupKind, view), args }, context);
  },
};
