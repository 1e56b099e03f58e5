import { createHash } from "node:crypto";
import { type BulkFormat, type ImportOptions, matchFields } from "../../contract/bulk/bulk.ts";
import type { Origin } from "../caller.ts";
import { readCsvRows } from "../csv/read.ts";
import { groupNotFound } from "../groups/group.ts";
import type { GroupStore } from "../groups/group-store.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { Row } from "../import-row.ts";
import type { Meter } from "../meter.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import { listFieldTypes, parseStoredSchema } from "../schema/parse-schema.ts";
import type { SchemaStore } from "../schema/schema-store.ts";
import { type UserSource, usersFor } from "../users/deleted-users.ts";
import type { UserListQuery } from "../users/user-list-fields.ts";
import {
  type BulkChange,
  type ChangedUser,
  isMembershipChange,
  type UserStores,
} from "../users/user-store.ts";
import { changeChunks } from "./change-chunks.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { countUsers } from "./count-users.ts";
import { exportCsv, exportNdjson } from "./exports.ts";
import { hashIds, IdChunks } from "./id-chunks.ts";
import { type ChunkContext, CONCURRENT_CHUNKS, importRows, type RowOutcome } from "./imports.ts";
import { MatchChunks } from "./match-chunks.ts";
import { findConditions } from "./membership-conditions.ts";
import { readNdjsonRows } from "./ndjson-rows.ts";

/** Splits the body of an import into rows. */
type RowReader = (body: AsyncIterable<Uint8Array>) => AsyncGenerator<Row[], void>;

interface BulkStores extends UserStores {
  readonly groups: Pick<GroupStore, "read" | "findIds">;
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
  ): AsyncGenerator<RowOutcome[], void> {
    using _running = key === undefined ? undefined : this.#running.reserve(by, key);
    const { users } = this.#store;
    const measureUsers = (ids: readonly number[]) => users.measure(ids);
    const chunkSlots = this.#chunkSlots;
    yield* importRows(rows, { by, target: users, key, chunkSlots, meter, measureUsers, options });
  }

  /** The outcomes that an import of these rows would have now. */
  async *checkImport(
    by: Origin,
    rows: AsyncIterable<readonly Row[]>,
    options: ImportOptions,
    meter?: Meter,
  ): AsyncGenerator<RowOutcome[], void> {
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
    const { users, groups } = this.#store;
    const context: ChunkContext = { by, key, chunkSlots: this.#chunkSlots, meter, signal };
    const purges = request.change === "remove" && !this.#keepsDeleted;
    const change = purges ? "remove-and-purge" : request.change;
    // With a key, the request may be repeated after the group was deleted: then the first chunk decides.
    if (key === undefined) await this.#requireGroup(change);
    const json = JSON.stringify(change);
    const bytes = Buffer.byteLength(json);
    const variant = `\nbulk ${createHash("sha256").update(json).digest("base64url")}`;
    const found = usersFor(this.#store, change);
    // A membership does not grow with its user. Only an expression makes the transaction read the user.
    const readsUsers =
      !isMembershipChange(change) || ("filter" in request && request.expression !== undefined);
    const source = readsUsers ? found : withoutSizes(found);
    if ("ids" in request) {
      const chunks = new IdChunks(source, request.ids, bytes);
      const ids = key === undefined ? "" : await hashIds(request.ids);
      yield* changeChunks(users, chunks, change, context, `${variant}\nids ${ids}`);
    } else {
      const { expression, filter } = request;
      const memberships = await findConditions(groups, request.groups);
      const chunks = await MatchChunks.open(source, { expression, memberships }, bytes, signal);
      yield* changeChunks(users, chunks, change, context, `${variant}\nfilter ${filter}`);
    }
  }

  /** The number of users that a bulk change would apply to now. */
  async countMany(request: BulkRequest, signal: AbortSignal, meter?: Meter): Promise<number> {
    await this.#requireGroup(request.change);
    return countUsers(usersFor(this.#store, request.change), request, signal, meter);
  }

  async #requireGroup(change: BulkChange): Promise<void> {
    if (!isMembershipChange(change)) return;
    const { groupId } = change;
    if (!(await this.#store.groups.read(groupId))) throw groupNotFound(groupId);
  }
}

/** The same users, whose sizes do not matter. */
function withoutSizes({ list }: UserSource): UserSource {
  return { list, measure: () => Promise.resolve(new Map()) };
}
