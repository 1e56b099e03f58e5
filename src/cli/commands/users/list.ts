import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { toMembership } from "../../flags/group-flags.ts";
import { explainFlag, listFlags, toSearch } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { userSearchFlags } from "../../flags/user-flags.ts";
import { listRecords } from "../../records/list-records.ts";
import { userList } from "../../records/list-sources.ts";
import { userKind } from "../../records/record-kind.ts";

const flags = {
  ...userSearchFlags,
  ...listFlags(userKind),
  explain: explainFlag(userKind),
  ...serviceFlags,
} as const;

export const list: Command = {
  flags,
  description: `If there are more users than the limit, says so on stderr, with the command that continues the list.`,
  examples: [
    "roster users list",
    "roster users list --q ada --sort -createdAt --limit 20",
    "roster users list --all --columns id,name,email --output csv > users.csv",
    "roster users list --where department=sales --where plan=pro | jq .email",
    `roster users list --filter 'level ge 3 and not (plan pr)' --sort -level`,
    "roster users list --group sales --group support",
    "roster users list --all --fields name,address.city --output csv",
    "roster users list --where department=sales --sort name --explain",
  ],

  async run(args, context) {
    const { q, where, filter, group, ...rest } = readFlags(
      flags,
      args,
      context.env,
      "roster users list --help",
    );
    const search = toSearch(userKind, { q, where, filter });
    const client = openClient(rest, context.env);
    const source = userList(client, await toMembership(client, group));
    await listRecords(source, { ...rest, search, isFiltered: group.length > 0, args }, context);
  },
};
