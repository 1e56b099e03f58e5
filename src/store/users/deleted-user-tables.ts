import type { Json } from "../../contract/json.ts";
import { systemOrigin } from "../../domain/caller.ts";
import { systemClock } from "../../domain/clock.ts";
import { compileExpression } from "../../domain/filter/compile-expression.ts";
import { foldText, wordStarts } from "../../domain/fold.ts";
import { PAGE_BYTES } from "../../domain/lists/listing.ts";
import { isWordStart } from "../../domain/lists/searched-words.ts";
import { checkPrecondition } from "../../domain/precondition.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type {
  DeletedListQuery,
  DeletedPage,
  DeletedPosition,
  DeletedUserStore,
} from "../../domain/users/deleted-user-store.ts";
import type { EventTables } from "../events/event-tables.ts";
import type { EngineOf } from "../sql/engine.ts";
import { measureRecords } from "../sql/measure-records.ts";
import type { Sql, SqlValue } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";
import type { UserWrites } from "./user-writes.ts";

/** Rows that one statement fetches: few enough to parse all of them on the event loop. */
const CHUNK_ROWS = 64;
/** One page examines at most this many users, for about this time in milliseconds. */
const MAX_SCANNED = 10_000;
const SCAN_MS = 250;
/** Users that one transaction purges at most. */
const MAX_PURGED = 100;

type Matches = (user: { readonly [field: string]: Json }) => boolean;

/** Every statement that reads deleted users, for any engine. */
export class DeletedUserTables {
  readonly #dialect: TableDialect;
  readonly #table: string;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
    this.#table = `${dialect.schema}deleted_users`;
  }

  *read(id: number): SqlSteps<StoredRecord | undefined> {
    const [row] = yield { text: `SELECT version, json FROM ${this.#table} WHERE id = ?`, values: [id] };
    return row && { id, version: Number(row[0]), json: String(row[1]) };
  }

  measure(ids: readonly number[]): SqlSteps<ReadonlyMap<number, number>> {
    return measureRecords(this.#dialect, "deleted_users", ids);
  }

  *page(query: DeletedListQuery): SqlSteps<DeletedPage> {
    const { limit } = query;
    const matches = compileMatches(query);
    const end = systemClock.running() + SCAN_MS;
    const users: StoredRecord[] = [];
    let bytes = 0;
    let position = query.after;
    for (let scanned = 0; ; scanned += CHUNK_ROWS) {
      if (scanned >= MAX_SCANNED || (scanned > 0 && systemClock.running() > end))
        return { users, next: position };
      const chunk = matches ? CHUNK_ROWS : Math.min(limit + 1 - users.length, CHUNK_ROWS);
      const rows = yield this.#select(query.order, position, chunk);
      for (const [id, version, deletedAt, text] of rows) {
        const json = String(text);
        if (!matches || matches(JSON.parse(json))) {
          bytes += json.length;
          if (users.length === limit || (bytes > PAGE_BYTES && users.length > 0))
            return { users, next: position };
          users.push({ id: Number(id), version: Number(version), json });
        }
        position = { deletedAt: Number(deletedAt), id: Number(id) };
      }
      if (rows.length < chunk) return { users, next: undefined };
    }
  }

  /** The ids of some users that were deleted before this time. */
  *oldest(before: number): SqlSteps<number[]> {
    const rows = yield {
      text: `SELECT id FROM ${this.#table} WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?`,
      values: [before, MAX_PURGED],
    };
    return rows.map(([id]) => Number(id));
  }

  #select(order: DeletedListQuery["order"], after: DeletedPosition | undefined, limit: number): Sql {
    const columns = order === "newest" ? ["deleted_at", "id"] : ["id"];
    const [direction, comparison] = order === "id" ? ["ASC", ">"] : ["DESC", "<"];
    const values: SqlValue[] = after ? (order === "newest" ? [after.deletedAt, after.id] : [after.id]) : [];
    const start = after ? `WHERE (${columns.join()}) ${comparison} (${values.map(() => "?").join()})` : "";
    return {
      text: `SELECT id, version, deleted_at, json FROM ${this.#table} ${start}
             ORDER BY ${columns.map((column) => `${column} ${direction}`).join()} LIMIT ?`,
      values: [...values, limit],
    };
  }
}

/** The store of deleted users, for any engine. */
export function deletedUserStore(
  users: EngineOf<DeletedUserTables>,
  events: EngineOf<EventTables>,
  writes: UserWrites,
): DeletedUserStore {
  const store: DeletedUserStore = {
    read: (...args) => users.read("read", args),
    list: (...args) => users.readLong("page", args),
    measure: async (...args) => users.read("measure", args),
    restore: (...args) => writes.restore(...args),
    async eraseHistory(user, precondition) {
      if (precondition) checkPrecondition(precondition, user);
      for (let after = 0; ; ) {
        const range = await events.read("findErasable", [user.id, after]);
        if (!range) return;
        await events.write("erase", [range]);
        after = range.to;
      }
    },
    purge: (...args) => writes.purge(...args),
    async purgeOldest(before) {
      const ids = await users.read("oldest", [before]);
      for (const id of ids) {
        const user = await store.read(id);
        if (user) await store.eraseHistory(user);
      }
      return ids.length === 0 ? 0 : writes.purgeDeletedBefore(ids, before, systemOrigin);
    },
  };
  return store;
}

/** The test of a user; undefined if every user matches. */
function compileMatches({ search, expression }: DeletedListQuery): Matches | undefined {
  const tests: Matches[] = [];
  if (search) tests.push((user) => containsWords(user, search));
  if (expression) tests.push(compileExpression(expression));
  return tests.length > 0 ? (user) => tests.every((test) => test(user)) : undefined;
}

function containsWords(
  { name, email }: { readonly [field: string]: Json },
  words: readonly string[],
): boolean {
  const nameFold = foldText(String(name));
  const emailFold = email === undefined ? undefined : foldText(String(email));
  const starts = wordStarts(nameFold, emailFold);
  return words.every((word) =>
    isWordStart(word)
      ? starts.some((start) => start.startsWith(word))
      : nameFold.includes(word) || emailFold?.includes(word),
  );
}
