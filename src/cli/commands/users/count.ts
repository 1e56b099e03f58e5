import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { countUsers } from "../../count-users.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { searchFlags, toSearch } from "../../flags/user-flags.ts";

const flags = { ...searchFlags, ...serviceFlags } as const;

export const count: Command = {
  flags,
  description: `Prints only the number. The service counts up to 100,000 matching users. More are counted one by one, which takes some seconds per
million users.`,
  examples: [
    "roster users count",
    "roster users count --where plan=pro",
    `roster users count --filter 'level ge 3 or tags eq "vip"'`,
  ],

  async run(args, { env, stdout }) {
    const { q, where, filter, ...service } = readFlags(flags, args, env, "roster users count --help");
    const search = toSearch({ q, where, filter });
    stdout.write(`${await countUsers(openClient(service, env).users, search)}\n`);
  },
};
