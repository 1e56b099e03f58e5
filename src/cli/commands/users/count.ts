import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { countUsers } from "../../count-users.ts";
import { toMembership } from "../../flags/group-flags.ts";
import { toSearch } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { userSearchFlags } from "../../flags/user-flags.ts";
import { userKind } from "../../records/record-kind.ts";

const flags = { ...userSearchFlags, ...serviceFlags } as const;

export const count: Command = {
  flags,
  description: `Prints only the number. The service counts up to 100,000 matching users. More are counted one by one, which takes some seconds per
million users.`,
  examples: [
    "roster users count",
    "roster users count --where plan=pro",
    "roster users count --group sales",
    `roster users count --filter 'level ge 3 or tags eq "vip"'`,
  ],

  async run(args, { env, stdout }) {
    const { group, ...rest } = readFlags(flags, args, env, "roster users count --help");
    const search = toSearch(userKind, rest);
    const client = openClient(rest, env);
    const membership = await toMembership(client, group);
    stdout.write(`${await countUsers(client.users, { ...search, ...membership })}\n`);
  },
};
