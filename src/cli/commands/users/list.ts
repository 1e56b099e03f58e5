import { readFlags } from "../../../config/config.ts";
import { listLimits } from "../../../contract/listing.ts";
import { type Command, describeFlags } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { jsonFlag, searchFlags, toSearch } from "../../flags/user-flags.ts";
import { print } from "../../output/print.ts";
import { printUsers } from "../../output/print-users.ts";

const flags = {
  ...searchFlags,
  limit: {
    flag: "limit",
    default: "100",
    takes: "a whole number from 1 to 100000",
    about: "How many at most.",
    parse: parseLimit,
  },
  after: {
    flag: "after",
    default: "",
    takes: "what the last list said",
    about: "Where to go on: what the last list said.",
    parse: (text: string) => text || undefined,
  },
  json: jsonFlag,
  ...serviceFlags,
} as const;

export const list: Command = {
  flags,
  help: `A table on a terminal; in a pipe, or with --json, one JSON object a line. To have them all, see roster users export.

Options:
${describeFlags(flags)}
Examples:
  roster users list
  roster users list --q ada --sort -createdAt --limit 20
  roster users list --where department=sales --where plan=pro --json | jq .email
`,

  async run(args, { env, stdout, stderr }) {
    const { limit, after, json, q, where, sort, ...service } = readFlags(
      flags,
      args,
      env,
      "roster users list --help",
    );
    const { users } = openClient(service);
    const search = toSearch({ q, where, sort });
    const isNarrowed = q !== "" || after !== undefined || Object.keys(where).length > 0;
    const found = [];
    let next = after;
    do {
      // No more than are shown: the next list goes on after the last of them.
      const wanted = Math.min(limit - found.length, listLimits.pageSize.maximum);
      const page = await users.list({ ...search, limit: wanted, after: next }).page();
      found.push(...page.users);
      next = page.next;
    } while (next !== undefined && found.length < limit);
    if (found.length > 0) printUsers(stdout, found, json);
    else print(stderr, isNarrowed ? "There is nobody like that." : "There are no users yet.");
    if (next !== undefined && stderr.isTTY) print(stderr, `There are more: --after ${next}`);
  },
};

function parseLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 100_000) throw new RangeError(text);
  return limit;
}
