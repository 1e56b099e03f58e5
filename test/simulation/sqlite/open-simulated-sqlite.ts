import type { Store, StoreObserver } from "../../../src/domain/store.ts";
import { forEachList } from "../../../src/store/list-resources.ts";
import type { ListReads } from "../../../src/store/lists/list-reads.ts";
import { openStores } from "../../../src/store/open-tables.ts";
import { PAUSE, type SqlSteps } from "../../../src/store/sql/sql-steps.ts";
import { openEngines, runTableRequest } from "../../../src/store/sqlite/engine.ts";
import { Reader } from "../../../src/store/sqlite/reader.ts";
import { SQLITE_NOW } from "../../../src/store/sqlite/table-dialect.ts";
import { Writer } from "../../../src/store/sqlite/writer.ts";
import type { StoreOptions } from "../../../src/store/store-options.ts";
import type { UserReads } from "../../../src/store/users/user-store.ts";
import { WriteQueue } from "../../../src/store/writes/write-queue.ts";
import { notSimulated } from "../not-simulated.ts";
import type { SimulatedProcess } from "../simulated-process.ts";
import type { SqliteFile } from "./sqlite-file.ts";

/**
 * The store of a process on a simulated file. Its SQL, its writer, its reader and its group commits are those of the service. The
 * threads, the file and its lock are simulated.
 */
export function openSimulatedSqlite(
  file: SqliteFile,
  process: SimulatedProcess,
  options: StoreOptions,
  observer: StoreObserver,
): Store {
  const { storage } = file;
  const { waitMs, recordRules } = options;
  const reader = new Reader(storage);
  const writer = new Writer(storage, recordRules);
  storage.run("CREATE TEMP TABLE IF NOT EXISTS simulated_clock (now_ms INTEGER)");
  storage.run("INSERT INTO simulated_clock SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM simulated_clock)");
  const setClock = storage.prepare<void, [number]>("UPDATE simulated_clock SET now_ms = ?");
  const tellTime = () => setClock.run(process.clock.now());
  const write = <T>(transact: () => T) => file.write(process, waitMs, transact);
  const reads: UserReads = {
    read: (id) => reader.read(id),
    find: async (ids) => ids.flatMap((id) => reader.read(id) ?? []),
  };
  const lists = forEachList((name): ListReads => {
    const list = reader.lists[name];
    return {
      page: (query) => list.page(query),
      explain: async (query) => list.explain(query),
      keepPage: (_, read) => read(),
      countRound: async (query, after) => list.countRound(query, after),
      customFields: async () => list.customFields(),
      fieldValues: async (field, prefix) => list.fieldValues(field, prefix),
      fieldValueCounts: async (field, prefix) => list.fieldValueCounts(field, prefix),
    };
  });
  const queue = new WriteQueue({
    commit: ({ writes: batch, refusals }) => write(() => writer.apply(batch, refusals)),
    options,
    observer,
  });
  const engine = openEngines({
    read: (steps) => reader.run(atSimulatedTime(steps, tellTime)),
    requestReader: (request) =>
      file.read(process, () =>
        runTableRequest(request, (steps) => reader.run(atSimulatedTime(steps, tellTime))),
      ),
    requestWriter: (request) =>
      write(() => runTableRequest(request, (steps) => writer.run(atSimulatedTime(steps, tellTime)))),
  });
  return {
    ...openStores(
      {
        engine,
        reads,
        readGroup: (id) => reader.readGroup(id),
        lists,
        queue,
        checkUsers: notSimulated("a check of users"),
      },
      recordRules,
    ),
    ping: async () => undefined,
    stats: async () => reader.stats(),
    gauges: async () => ({ up: true, stats: reader.stats(), queuedWrites: queue.queued }),
    close: () => queue.drain(),
  };
}

/** The same steps, with the clock of the simulation instead of that of the machine. */
function* atSimulatedTime<T>(steps: SqlSteps<T>, tellTime: () => void): SqlSteps<T> {
  let step = steps.next();
  while (!step.done) {
    const { value } = step;
    const text = value === PAUSE ? undefined : replaceClock(value.text);
    if (text !== undefined) tellTime();
    const rows = yield text === undefined || value === PAUSE ? value : { ...value, text };
    step = steps.next(rows);
  }
  return step.value;
}

const texts = new Map<string, string | undefined>();

/** Undefined if the statement does not ask for the time. */
function replaceClock(text: string): string | undefined {
  if (texts.has(text)) return texts.get(text);
  const replaced = text.replaceAll(SQLITE_NOW, "(SELECT now_ms FROM simulated_clock)");
  texts.set(text, replaced === text ? undefined : replaced);
  return texts.get(text);
}
