import { readFlags } from "../../config/config.ts";
import { wholeNumberIn } from "../../config/setting.ts";
import { settings } from "../../config/settings.ts";
import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { listLimits } from "../../contract/listing.ts";
import { importRows } from "../../domain/bulk/imports.ts";
import type { Row } from "../../domain/import-row.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { Store } from "../../domain/store.ts";
import { defaultRecordRules } from "../../domain/users/record-rules.ts";
import type { UserListQuery } from "../../domain/users/user-list-fields.ts";
import { SampleUsers } from "../../sample-users/sample-users.ts";
import { openStore } from "../../store/open-store.ts";
import type { Command } from "../command.ts";
import { databaseFlags } from "../flags/database-flags.ts";
import { onInterrupt } from "../interrupt.ts";
import { isMissingFile, localCaller } from "../open-keys.ts";
import { formatCount } from "../output/format-count.ts";
import { print } from "../output/print.ts";
import { Progress } from "../output/progress.ts";
import { printSummary, secondsSince } from "../output/summary.ts";
import { Retries } from "../retries.ts";

const MAX_USERS = 100_000_000;

const flags = {
  users: { flag: "n", form: "word", about: "The number of users.", ...wholeNumberIn(1, MAX_USERS) },
  seed: {
    flag: "seed",
    default: "1",
    about: "The seed: the same number creates the same users.",
    ...wholeNumberIn(0, 2 ** 32 - 1),
  },
  ...databaseFlags,
  migrate: settings.migrate,
} as const;

export const seed: Command = {
  flags,
  description: `Sample users have names from many cultures and scripts, emails at example.com and similar domains, and custom fields:
country, city, department, plan, level, active, joinedOn, phone, tags. Some have a badge instead of an email. All are
fictional.

Existing users are not changed. The same command, repeated for example after an interruption, creates only the missing
users. Another --seed creates different users. A service may run on the database at the same time. If the database does
not respond, or the command is suspended, the command continues afterwards.`,
  examples: ["roster seed 1000", "roster seed 100000 --seed 7 --database ./data/try.db"],

  async run(args, { env, stdout, stderr }) {
    const {
      users,
      seed: seedNumber,
      database,
      databasePooler,
      databaseWait,
      migrate,
    } = readFlags(flags, args, env, "roster seed --help");
    const isNew = isMissingFile(database);
    const options = {
      batch: bulkLimits.chunkLines,
      queue: 10,
      waitMs: databaseWait,
      recordRules: defaultRecordRules,
      pool: 3,
      dedicatedSessions: databasePooler === "none",
      migrate: migrate === "auto",
    };
    const store = await openStore(database, options, { committed: () => undefined });
    try {
      if (isNew) print(stderr, `Created a database at ${database.displayName}.`);
      onInterrupt(stderr, "Interrupted. Run the same command again to create the missing users.");
      const since = performance.now();
      const progress = new Progress(stderr);
      const report = (done: number) => progress.show({ step: "users", done, total: users });
      const samples = new SampleUsers(seedNumber);
      const created = await createMissing(store, samples, users, report, new Retries(stderr)).finally(() =>
        progress.end(),
      );
      const seconds = secondsSince(since);
      printSummary(
        stdout,
        `${database.displayName} has the first ${formatCount(users, "user")} of seed ${seedNumber}.`,
        [
          ["created", created.toLocaleString("en")],
          ["already there", (users - created).toLocaleString("en")],
          ["seconds", seconds.toFixed(1)],
          ["per second", Math.round(created / seconds).toLocaleString("en")],
        ],
      );
    } finally {
      await store.close();
    }
  },
};

/** Creates the missing users, and returns their number. Continues after an outage of the database. */
async function createMissing(
  store: Store,
  samples: SampleUsers,
  users: number,
  report: (done: number) => void,
  retries: Retries,
): Promise<number> {
  let created = 0;
  let done = 0;
  report(done);
  while (done < users) {
    try {
      const missing = listMissing(store, samples, done + 1, users);
      for await (const outcomes of importRows(missing, { by: localCaller, target: store.users })) {
        for (const outcome of outcomes) {
          if ("created" in outcome) created++;
          else if (outcome.problem.type !== "email-taken") throw ProblemError.of(outcome.problem);
          done = outcome.line;
        }
        retries.noteProgress();
        report(done);
      }
      done = users;
    } catch (error) {
      const isOutage = error instanceof ProblemError && error.type === "unavailable";
      if (!isOutage || !(await retries.wait(error.detail))) throw error;
    }
  }
  report(done);
  return created;
}

/** The users from number `begin` on, except existing ones without an email: no unique index rejects those. */
async function* listMissing(
  store: Store,
  samples: SampleUsers,
  begin: number,
  users: number,
): AsyncGenerator<Row[], void> {
  for (let first = begin; first <= users; first += bulkLimits.chunkLines) {
    const length = Math.min(bulkLimits.chunkLines, users - first + 1);
    const records = Array.from({ length }, (_, index) => samples.create(first + index));
    const badges = records.flatMap(({ badge }) => (typeof badge === "string" ? [badge] : []));
    const existing = await findBadges(store, badges);
    yield records.flatMap((record, index) =>
      typeof record.badge === "string" && existing.has(record.badge)
        ? []
        : [{ line: first + index, json: JSON.stringify(record) }],
    );
  }
}

async function findBadges(store: Store, badges: readonly string[]): Promise<Set<string>> {
  const existing = new Set<string>();
  const { filterValues, pageSize } = listLimits;
  for (let first = 0; first < badges.length; first += filterValues) {
    const values = badges.slice(first, first + filterValues);
    let from: UserListQuery["from"];
    do {
      const page = await store.users.list({
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
      for (const { badge } of found) existing.add(badge);
      from = page.next;
    } while (from);
  }
  return existing;
}
