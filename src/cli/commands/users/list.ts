import { readFlags } from "../../../config/config.ts";
import { listLimits } from "../../../contract/listing.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { jsonFlag } from "../../flags/switch-flag.ts";
import { searchFlags, toSearch } from "../../flags/user-flags.ts";
import { print } from "../../output/print.ts";
import { printUsers } from "../../output/print-users.ts";

const flags = {
  ...searchFlags,
  limit: {
    flag: "limit",
    default: "100",
    takes: "a whole number from 1 to 100000",
    about: "The maximum number of users.",
    parse: parseLimit,
  },
  after: {
    flag: "after",
    default: "",
    takes: "the cursor that the previous list printed",
    about: "Continue a list: the cursor that the previous list printed.",
    parse: (text: string) => text || undefined,
  },
  json: jsonFlag,
  ...serviceFlags,
} as const;

export const list: Command = {
  flags,
  description: `Prints a table on a terminal. In a pipe, or with --json, prints one JSON object per line. To get all users, use roster
users export.`,
  examples: [
    "roster users list",
    "roster users list --q ada --sort -createdAt --limit 20",
    "roster users list --where department=sales --where plan=pro --json | jq .email",
  ],

  async run(args, { env, stdout, stderr }) {
    const { limit, after, json, q, where, sort, ...service } = readFlags(
      flags,
      args,
      env,
      "roster users list --help",
    );
    const { users } = openClient(service);
    const search = toSearch({ q, where, sort });
    const isFiltered = q !== "" || after !== undefined || Object.keys(where).length > 0;
    const found = [];
    let next = after;
    do {
      // The cursor must follow the last user shown, so fetch no more than are shown.
      const pageSize = Math.min(limit - found.length, listLimits.pageSize.maximum);
      const page = await users.list({ ...search, limit: pageSize, after: next }).page();
      found.push(...page.users);
      next = page.next;
    } while (next !== undefined && found.length < limit);
    if (found.length > 0) printUsers(stdout, found, json);
    else print(stderr, isFiltered ? "No users found." : "No users yet.");
    if (next !== undefined && stderr.isTTY)
      print(stderr, `There are more users. To continue, add: --after\u00a0${next}`);
  },
};

function parseLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 100_000) throw new RangeError(text);
  return limit;
}
