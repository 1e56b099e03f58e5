import { createHash } from "node:crypto";
import type { Origin } from "../caller.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { Meter } from "../meter.ts";
import type { Semaphore } from "../scheduling/semaphore.ts";
import { usersFor } from "../users/deleted-users.ts";
import type { ChangedUser, UserStores } from "../users/user-store.ts";
import { changeChunks } from "./change-chunks.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { countUsers } from "./count-users.ts";
import { hashIds, IdChunks } from "./id-chunks.ts";
import type { ChunkContext } from "./imports.ts";
import { MatchChunks } from "./match-chunks.ts";

/** Changes many users at once. Methods throw a `ProblemError` if they fail. */
export class Bulk {
  readonly #store: UserStores;
  readonly #running: RunningKeys;
  readonly #keepsDeleted: boolean;
  readonly #chunkSlots: Semaphore;

  /**
   * `keepsDeleted` says whether deleted users can be restored. Otherwise a delete purges. `chunkSlots` are those of imports.
   */
  constructor(store: UserStores, running: RunningKeys, keepsDeleted: boolean, chunkSlots: Semaphore) {
    this.#store = store;
    this.#running = running;
    this.#keepsDeleted = keepsDeleted;
    this.#chunkSlots = chunkSlots;
  }

  /** Applies one change to many users, in chunks, and yields the results in order. Idempotency keys work as in imports. */
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
