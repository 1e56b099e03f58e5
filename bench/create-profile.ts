/** CPU time of a create with three custom fields in SQLite, without HTTP, and which statements take it. */
import type { Database, Statement } from "bun:sqlite";
import { anonymousOrigin } from "../src/domain/caller.ts";
import { defaultRecordRules } from "../src/domain/users/record-rules.ts";
import { openDatabase } from "../src/store/sqlite/database.ts";
import { Writer } from "../src/store/sqlite/writer.ts";
import { readOptions } from "./support/options.ts";
import { sampleUser } from "./support/sample-users.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const TARGET = 60;

const { numbers, json } = readOptions({ users: 50_000, batch: 64, warmUp: 20_000 });
const { users, batch, warmUp } = numbers;

interface Cost {
  readonly name: string;
  readonly micros: number;
}

/** Creates users in batches of one transaction each. Returns the CPU time per user. */
function createUsers(look: (db: Database) => void): number {
  using folder = new ScratchFolder();
  const db = openDatabase(folder.file("roster.db"), 0);
  look(db);
  const writer = new Writer(db, defaultRecordRules);
  const writesFrom = (first: number) =>
    Array.from({ length: batch }, (_, index) => ({
      kind: "create" as const,
      by: anonymousOrigin,
      idempotencyKey: undefined,
      attempt: { record: { ...sampleUser(first + index), active: (first + index) % 3 > 0 } },
    }));
  for (let done = 0; done < warmUp; done += batch) writer.apply(writesFrom(done + 1));
  const costs: number[] = [];
  for (let done = 0; done < users; done += batch) {
    const writes = writesFrom(warmUp + batch + done);
    const before = process.cpuUsage();
    writer.apply(writes);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / batch);
  }
  db.close();
  return mean(costs);
}

/** Statements that run once per transaction. */
const PER_TRANSACTION = /^(BEGIN|COMMIT)|directory|\('merge'/;

/** Measures each statement of a connection, by its text. */
function timeStatements(db: Database): () => Cost[] {
  const times = new Map<string, number[]>();
  /** CPU time, or for short statements the time on the clock: the median leaves out the time of other processes. */
  const timed = <Values extends unknown[], Result>(text: string, call: (...values: Values) => Result) => {
    const own = times.get(text) ?? [];
    times.set(text, own);
    return (...values: Values): Result => {
      const start = Bun.nanoseconds();
      const before = PER_TRANSACTION.test(text) ? process.cpuUsage() : undefined;
      const result = call(...values);
      const used = before && process.cpuUsage(before);
      own.push(used ? used.user + used.system : (Bun.nanoseconds() - start) / 1000);
      return result;
    };
  };
  const prepare = db.prepare.bind(db);
  Object.defineProperty(db, "prepare", {
    value: (text: string): Statement => {
      const statement = prepare(text);
      for (const method of ["run", "get", "all", "values"] as const) {
        Object.defineProperty(statement, method, { value: timed(text, statement[method].bind(statement)) });
      }
      return statement;
    },
  });
  const run = db.run.bind(db);
  Object.defineProperty(db, "run", { value: (text: string) => timed(text, () => run(text))() });
  return () =>
    Array.from(times, ([text, all]) => {
      const perUser = all.length / (users + warmUp);
      const micros = PER_TRANSACTION.test(text) ? mean(all) : median(all);
      return { name: text.replaceAll(/\s+/g, " ").slice(0, 60), micros: micros * perUser };
    })
      .filter(({ micros }) => micros >= 0.05)
      .sort((a, b) => b.micros - a.micros);
}

/** Makes the statements of a connection that write do nothing: the program's own time is left. */
function skipWrites(db: Database): void {
  const prepare = db.prepare.bind(db);
  Object.defineProperty(db, "prepare", {
    value: (text: string): Statement => {
      const statement = prepare(text);
      if (/^(INSERT|UPDATE)/.test(text))
        Object.defineProperty(statement, "run", { value: () => ({ changes: 1 }) });
      return statement;
    },
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const total = createUsers(() => {});
const program = createUsers(skipWrites);
let statements = (): Cost[] => [];
createUsers((db) => {
  statements = timeStatements(db);
});
const costs = statements();
const slowStatements = total - program - costs.reduce((sum, { micros }) => sum + micros, 0);
print(json, { users, batch, total, costs, program, slowStatements, target: TARGET, met: total <= TARGET }, [
  ["", "µs per create", "target", ""],
  ["total", total.toFixed(1), `≤ ${TARGET}`, verdict(total <= TARGET)],
  ...costs.map(({ name, micros }) => [name, micros.toFixed(1), "", ""]),
  ["the program: checks, JSON, folding, keys of the indexes", program.toFixed(1), "", ""],
  ["statements that take longer than the median: splits, pages to read", slowStatements.toFixed(1), "", ""],
]);
