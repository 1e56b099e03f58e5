import type { Client, ListOptions, User } from "../../../client/index.ts";
import { ConfigError, readFlags } from "../../../config/config.ts";
import { listLimits } from "../../../contract/listing.ts";
import { formatFieldPath } from "../../../domain/field-path.ts";
import type { Command } from "../../command.ts";
import { usersOutputFlags } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { searchFlags, toSearch, viewFlags } from "../../flags/user-flags.ts";
import { print } from "../../output/print.ts";
import { printExplanation } from "../../output/print-explanation.ts";
import { UserPrinter } from "../../output/print-users.ts";
import { shellQuote } from "../../output/shell-quote.ts";

const DEFAULT_LIMIT = 100;

const flags = {
  ...searchFlags,
  ...viewFlags,
  limit: {
    flag: "limit",
    default: "",
    takes: "a whole number from 1 to 100000",
    about: `The maximum number of users. (default\u00a0${DEFAULT_LIMIT})`,
    parse: parseLimit,
  },
  all: switchFlag("all", "List all users, not only the first ones."),
  after: {
    flag: "after",
    default: "",
    takes: "the cursor that the previous list printed",
    about: "Continue a list: the cursor that the previous list printed.",
    parse: (text: string) => text || undefined,
  },
  explain: switchFlag(
    "explain",
    "Print how the service finds the first page of the list, and how many rows it reads, instead of the users.",
  ),
  ...usersOutputFlags,
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
    "roster users list --all --fields name,address.city --output csv",
    "roster users list --where department=sales --sort name --explain",
  ],

  async run(args, { env, stdout, stderr }) {
    const { limit, all, after, explain, output, columns, q, where, filter, sort, fields, ...service } =
      readFlags(flags, args, env, "roster users list --help");
    if (all && limit !== undefined) throw new ConfigError("Choose --all or --limit, not both.");
    const { users } = openClient(service, env);
    const search = {
      ...toSearch({ q, where, filter }),
      sort,
      ...(fields && { fields: fields.map(formatFieldPath) }),
    };
    const maxUsers = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
    if (explain) {
      if (output === "csv")
        throw new ConfigError("--explain prints no csv. Use --output table, json or ndjson.");
      const page = { ...search, after, limit: Math.min(maxUsers, listLimits.pageSize.maximum) };
      printExplanation(stdout, await users.list(page).explain(), output);
      return;
    }
    if (all && output === "csv" && !columns && after === undefined) {
      // The service knows the columns of all users: there is no need to keep the users in memory.
      for await (const bytes of await users.export(search).stream("csv"))
        if (!stdout.write(bytes)) await stdout.drained();
      return;
    }
    const isFiltered = q !== "" || filter.length + where.length > 0 || after !== undefined;
    const printer = new UserPrinter(stdout, { output, columns, fields });
    const pages = new Pages(users, search, after, maxUsers);
    for await (const page of pages) await printer.print(page);
    const missing = await printer.end();
    if (pages.count === 0) print(stderr, isFiltered ? "No users found." : "No users yet.");
    else for (const column of missing) print(stderr, `None of these users has the field ${column}.`);
    if (pages.next !== undefined) {
      const total = await describeTotal(users, search);
      print(
        stderr,
        `Showing ${pages.count.toLocaleString("en")} ${total}. To list all of them, add --all. To continue:`,
      );
      stderr.write(`  ${nextCommand(args, pages.next)}\n`);
    }
  },
};

/** The pages of a list, up to a number of users. */
class Pages {
  readonly #users: Client["users"];
  readonly #search: ListOptions;
  readonly #after: string | undefined;
  readonly #limit: number;
  count = 0;
  /** The cursor after the last page read; undefined if that was the last page of the list. */
  next: string | undefined;

  constructor(users: Client["users"], search: ListOptions, after: string | undefined, limit: number) {
    this.#users = users;
    this.#search = search;
    this.#after = after;
    this.#limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<User[], void, undefined> {
    this.next = this.#after;
    do {
      // The cursor must follow the last user printed, so fetch no more than are printed.
      const limit = Math.min(this.#limit - this.count, listLimits.pageSize.maximum);
      const page = await this.#users.list({ ...this.#search, limit, after: this.next }).page();
      this.count += page.users.length;
      this.next = page.next;
      if (page.users.length > 0) yield page.users;
    } while (this.next !== undefined && this.count < this.#limit);
  }
}

/** For example `of 150,000 users`. The list is already printed, so a count that fails is not an error. */
async function describeTotal(users: Client["users"], search: ListOptions): Promise<string> {
  const counted = await users
    .list({ ...search, limit: 1 })
    .page({ count: true })
    .catch(() => undefined);
  if (!counted?.total) return "users, and there are more";
  const { count, capped } = counted.total;
  return `of ${capped ? "more than " : ""}${count.toLocaleString("en")} users`;
}

/** The same command with another cursor. */
function nextCommand(args: readonly string[], after: string): string {
  const rest = args.filter(
    (arg, index) => !arg.startsWith("--after=") && arg !== "--after" && args[index - 1] !== "--after",
  );
  return ["roster", "users", "list", ...rest, "--after", after].map(shellQuote).join(" ");
}

function parseLimit(text: string): number | undefined {
  if (text === "") return undefined;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 100_000) throw new RangeError(text);
  return limit;
}
