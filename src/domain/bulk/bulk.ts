import { createHash } from "node:crypto";
import { type BulkFormat, type ImportOptions, matchFields } from "../../contract/bulk/bulk.ts";
import type { Origin } from "../caller.ts";
import { readCsvRows } from "../csv/read.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { LineResult, Row } from "../import-row.ts";
import type { Meter } from "../meter.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import { listFieldTypes, parseStoredSchema } from "../schema/parse-schema.ts";
import type { SchemaStore } from "../schema/schema-store.ts";
import { usersFor } from "../users/deleted-users.ts";
import type { UserListQuery } from "../users/user-list-fields.ts";
import type { ChangedUser, ImportedUser, UserStores } from "../users/user-store.ts";
import { changeChunks } from "./change-chunks.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { countUsers } from "./count-users.ts";
import { exportCsv, exportNdjson } from "./exports.ts";
import { hashIds, IdChunks } from "./id-chunks.ts";
import { type ChunkContext, CONCURRENT_CHUNKS, importRows, type RowOutcome } from "./imports.ts";
import { MatchChunks } from "./match-chunks.ts";
import { readNdjsonRows } from "./ndjson-rows.ts";

/** Splits the body of an import into rows. */
type RowReader = (body: AsyncIterable<Uint8Array>) => AsyncGenerator<Row[], void>;

interface BulkStores extends UserStores {
  readonly schema: SchemaStore;
}

/** What callers can do with many users at once. Methods throw a `ProblemError` if they fail. */
export class Bulk {
  readonly #store: BulkStores;
  readonly #running: RunningKeys;
  readonly #keepsDeleted: boolean;
  readonly #chunkSlots = new Semaphore(CONCURRENT_CHUNKS);

  /** `keepsDeleted` says whether deleted users can be restored. Otherwise a delete purges. */
  constructor(store: BulkStores, running: RunningKeys, keepsDeleted: boolean) {
    this.#store = store;
    this.#running = running;
    this.#keepsDeleted = keepsDeleted;
  }

  /** Every user that matches the query, in order. Ends early when the signal aborts. */
  export(
    format: BulkFormat,
    query: UserListQuery,
    signal: AbortSignal,
    meter?: Meter,
  ): AsyncGenerator<Uint8Array, void> {
    const exportUsers = format === "csv" ? exportCsv : exportNdjson;
    return exportUsers(this.#store.users, query, signal, meter);
  }

  /**
   * Reads the schema if the import needs it. Returns undefined if `match` is not a unique field: users cannot be found by it. A row
   * may have `maxRowBytes`.
   */
  async createRowReader(
    format: BulkFormat,
    options: ImportOptions,
    maxRowBytes: number,
  ): Promise<RowReader | undefined> {
    const { match } = options;
    const readNdjson: RowReader = (body) => readNdjsonRows(body, maxRowBytes);
    const isCore = matchFields.some((field) => field === match);
    if (isCore && format === "ndjson") return readNdjson;
    const { json } = await this.#store.schema.current();
    const schema = json === "{}" ? undefined : parseStoredSchema(json);
    if (!isCore && !schema?.uniqueFields.includes(match)) return undefined;
    if (format === "ndjson") return readNdjson;
    return (body) => readCsvRows(body, maxRowBytes, options, schema && listFieldTypes(schema));
  }

  /**
   * Creates or updates a user for each row, in chunks. With an idempotency key, each chunk runs once. A key runs one import
   * at a time.
   */
  async *import(
    by: Origin,
    key: string | undefined,
    rows: AsyncIterable<readonly Row[]>,
    options: ImportOptions,
    meter?: Meter,
  ): AsyncGenerator<RowOutcome<ImportedUser>[], void> {
    using _running = key === undefined ? undefined : this.#running.reserve(by, key);
    const { users } = this.#store;
    const { onConflict, match } = options;
    const variant = onConflict === "fail" && match === "email" ? "" : `\n${onConflict} ${match}`;
    const chunkSlots = this.#chunkSlots;
    const context = { by, target: users, key, chunkSlots, meter, options, variant };
    /** An update writes the whole user, however short its row is. */
    const countWritten = async (results: readonly LineResult<ImportedUser>[]) => {
      const ids = results.flatMap((user) => ("created" in user && !user.created ? (user.id ?? []) : []));
      const sizes = ids.length > 0 ? await users.measure(ids) : new Map<number, number>();
      return sizes.values().reduce((sum, size) => sum + size, 0);
    };
    yield* importRows(rows, onConflict === "update" ? { ...context, countWritten } : context);
  }

  /** The outcomes that an import of these rows would have now. */
  async *checkImport(
    by: Origin,
    rows: AsyncIterable<readonly Row[]>,
    options: ImportOptions,
    meter?: Meter,
  ): AsyncGenerator<RowOutcome<ImportedUser>[], void> {
    using target = this.#store.users.startDryRun();
    yield* importRows(rows, { by, target, options, chunkSlots: this.#chunkSlots, meter });
  }

  /** Applies one change to many users, in chunks, and yields the results in order. Idempotency keys work as in `import`. */
  async *changeMany(
    by: Origin,
    key: string | undefined,
    request: BulkRequest,
    meter?: Meter,
    signal?: AbortSignal,
  ): AsyncGenerator<ChangedUser[], void> {
    using _running = key === undefined ? undefined : this.#running.reserve(by, key);
    const context: ChunkContext = { by, key, chunkSlots: this.#chunkSlots, meter, signal };
    const purges = request.change === "remove" && !this.#keepsDeleted;
    const change = purges ? "remove-and-purge" : request.change;
    const json = JSON.stringify(change);
    const bytes = Buffer.byteLength(json);
    const variant = `\nbulk ${createHash("sha256").update(json).digest("base64url")}`;
    const source = usersFor(this.#store, change);
    if ("ids" in request) {
      const users = new IdChunks(source, request.ids, bytes);
      const ids = key === undefined ? "" : await hashIds(request.ids);
      yield* changeChunks(this.#store.users, users, change, context, `${variant}\nids ${ids}`);
    } else {
      const users = await MatchChunks.open(source, request.expression, bytes, signal);
      yield* changeChunks(this.#store.users, users, change, context, `${variant}\nfilter ${request.filter}`);
    }
  }

  /** The number of users that a bulk change would apply to now. */
  countMany(request: BulkRequest, signal: AbortSignal, meter?: Meter): Promise<number> {
    return countUsers(usersFor(this.#store, request.change), request, signal, meter);
  }
}
