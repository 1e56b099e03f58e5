import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { searchFlags, toSearch } from "../../flags/user-flags.ts";
import { countNewlines } from "../../output/count-lines.ts";

const flags = { ...searchFlags, ...serviceFlags } as const;

export const count: Command = {
  flags,
  description: `Prints only the number. More than 100,000 matching users are counted one by one, which takes some seconds per
million users.`,
  examples: [
    "roster users count",
    "roster users count --where plan=pro",
    `roster users count --filter 'level ge 3 or tags eq "vip"'`,
  ],

  async run(args, { env, stdout }) {
    const { q, where, filter, ...service } = readFlags(flags, args, env, "roster users count --help");
    const { users } = openClient(service, env);
    const search = toSearch({ q, where, filter });
    const { total } = await users.list({ ...search, limit: 1 }).page({ count: true });
    const exact =
      total && !total.capped
        ? total.count
        : await countLines(await users.export({ ...search, fields: ["id"] }).stream());
    stdout.write(`${exact}\n`);
  },
};

async function countLines(stream: ReadableStream<Uint8Array>): Promise<number> {
  let lines = 0;
  for await (const bytes of stream) lines += countNewlines(bytes);
  return lines;
}
