import { createHash } from "node:crypto";
import type { Origin } from "../caller.ts";
import { groupNotFound } from "../groups/group.ts";
import type { GroupStore } from "../groups/group-store.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { Meter } from "../meter.ts";
import type { Semaphore } from "../scheduling/semaphore.ts";
import { type UserSource, usersFor } from "../users/deleted-users.ts";
import {
  type BulkChange,
  type ChangedUser,
  isMembershipChange,
  type UserStores,
} from "../users/user-store.ts";
import { changeChunks } from "./change-chunks.ts";
import type { BulkRequest } from "./check-bulk.ts";
import { countUsers } from "./count-users.ts";
import { hashIds, IdChunks } from "./id-chunks.ts";
import type { ChunkContext } from "./imports.ts";
import { MatchChunks } from "./match-chunks.ts";
import { findConditions } from "./membership-conditions.ts";

interface BulkStores extends UserStores {
  readonly groups: Pick<GroupStore, "read" | "findByNames">;
}

/** Changes many users at once. Methods throw a `ProblemError` if they fail. */
export class Bulk {
  readonly #store: BulkStores;
  readonly #running: RunningKeys;
  readonly #keepsDeleted: boolean;
  readonly #chunkSlots: Semaphore;

  /**
   * `keepsDeleted` says whether deleted users can be restored. Otherwise a delete purges. `chunkSlots` are those of imports.
   */
  constructor(store: BulkStores, running: RunningKeys, keepsDeleted: boolean, chunkSlots: Semaphore) {
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
