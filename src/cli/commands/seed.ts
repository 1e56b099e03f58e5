import { readFlags } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { settings } from "../../config/settings.ts";
import { bulkLimits } from "../../contract/bulk.ts";
import { listLimits } from "../../contract/listing.ts";
import { importRows, type Row } from "../../domain/imports.ts";
import type { ListQuery } from "../../domain/listing.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { defaultRecordRules } from "../../domain/record-rules.ts";
import type { Store } from "../../domain/store.ts";
import { openStore } from "../../store/open-store.ts";
import { type Command, describeFlags } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { onInterrupt } from "../interrupt.ts";
import { isMissingFile, localCaller } from "../open-keys.ts";
import { print } from "../output/print.ts";
import { Progress } from "../output/progress.ts";
import { formatSummary, secondsSince } from "../output/summary.ts";
import { SampleUsers } from "../sample-users/sample-users.ts";

const MOST = 100_000_000;

const flags = {
  users: whole("n", 1, MOST, { form: "word", about: "How many users to make." }),
  seed: whole("seed", 0, 2 ** 32 - 1, {
    default: "1",
    about: "Which ones: the same number makes the same users.",
  }),
  ...databaseFlags,
  migrate: settings.migrate,
} as const;

export const seed: Command = {
  flags,
  help: `They have names of many cultures in many scripts, addresses at example.com and the like, and fields of their own:
country, city, department, plan, level, active, joinedOn, phone, tags. Some have no email, but a badge. Nobody in
particular is meant.

Users that are there already are left alone. Run again with the same --seed, also after an interruption, it makes those
that are missing; with another, it makes others. A service may run on the database meanwhile.

Options:
${describeFlags(flags)}
Examples:
  roster seed 1000
  roster seed 100000 --seed 7 --database ./data/try.db
`,

  async run(args, { env, stdout, stderr }) {
    const given = readFlags(flags, args, env, "roster seed --help");
    const { users, database, databasePooler, databaseWait, migrate } = given;
    const isNew = isMissingFile(database);
    const options = {
      batch: bulkLimits.chunkLines,
      queue: 10,
      waitMs: databaseWait,
      recordRules: defaultRecordRules,
      pool: 3,
      sessions: databasePooler === "none",
      migrate: migrate === "auto",
    };
    const store = await openStore(database, options, { committed: () => undefined });
    try {
      if (isNew) print(stderr, `There was no database at ${database.displayName}: it has been made.`);
      onInterrupt(stderr, "Interrupted. Run the same command again, and it makes those that are missing.");
      const since = performance.now();
      const progress = new Progress(stderr);
      const made = await plant(store, new SampleUsers(given.seed), users, (done) =>
        progress.show({ step: "users", done, total: users }),
      ).finally(() => progress.end());
      const seconds = secondsSince(since);
      stdout.write(
        formatSummary(
          `${users.toLocaleString("en")} users of seed ${given.seed} are in ${database.displayName}.`,
          [
            ["made", made.toLocaleString("en")],
            ["there already", (users - made).toLocaleString("en")],
            ["seconds", seconds.toFixed(1)],
            ["made a second", Math.round(made / seconds).toLocaleString("en")],
          ],
        ),
      );
    } finally {
      await store.close();
    }
  },
};

/** Makes those that are not there yet, and says how many that were. */
async function plant(
  store: Store,
  people: SampleUsers,
  users: number,
  report: (done: number) => void,
): Promise<number> {
  let made = 0;
  let there = 0;
  const missing = missingOf(store, people, users, (count) => {
    there += count;
  });
  report(0);
  for await (const outcomes of importRows(store, localCaller, undefined, missing)) {
    for (const outcome of outcomes) {
      if ("id" in outcome) made++;
      else if (outcome.problem.type === "email-taken") there++;
      else throw ProblemError.of(outcome.problem);
    }
    report(made + there);
  }
  report(made + there);
  return made;
}

/** Everybody, but those without an email who are there already: no index keeps them from being made twice. */
async function* missingOf(
  store: Store,
  people: SampleUsers,
  users: number,
  found: (count: number) => void,
): AsyncGenerator<Row[], void> {
  for (let first = 1; first <= users; first += bulkLimits.chunkLines) {
    const length = Math.min(bulkLimits.chunkLines, users - first + 1);
    const records = Array.from({ length }, (_, index) => people.create(first + index));
    const badges = records.flatMap(({ badge }) => (typeof badge === "string" ? [badge] : []));
    const known = await badgesThere(store, badges);
    found(known.size);
    yield records.flatMap((record, index) =>
      typeof record.badge === "string" && known.has(record.badge)
        ? []
        : [{ line: first + index, json: JSON.stringify(record) }],
    );
  }
}

async function badgesThere(store: Store, badges: readonly string[]): Promise<Set<string>> {
  const there = new Set<string>();
  const { filterValues, pageSize } = listLimits;
  for (let first = 0; first < badges.length; first += filterValues) {
    const values = badges.slice(first, first + filterValues);
    let from: ListQuery["from"];
    do {
      const page = await store.list({
        sort: "id",
        descending: false,
        limit: pageSize.maximum,
        from,
        offset: 0,
        search: undefined,
        filters: [{ kind: "custom", field: "badge", values }],
        count: false,
      });
      const found: { badge: string }[] = JSON.parse(new TextDecoder().decode(page.body));
      for (const { badge } of found) there.add(badge);
      from = page.next;
    } while (from);
  }
  return there;
}

function whole<const T extends Pick<Flag<number>, "about" | "form" | "default">>(
  flag: string,
  low: number,
  high: number,
  more: T,
) {
  const parse = (text: string) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= low && value <= high)) throw new RangeError(text);
    return value;
  };
  return { flag, takes: `a whole number from ${low} to ${high}`, parse, ...more };
}
