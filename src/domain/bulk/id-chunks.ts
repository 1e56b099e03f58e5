import { createHash } from "node:crypto";
import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { loopShare } from "../scheduling/loop-share.ts";
import type { UserSource } from "../users/deleted-users.ts";
import type { ChangedUser } from "../users/user-store.ts";
import { cutChunk, type UserChunks } from "./change-chunks.ts";

/** The users with these ids, chunk by chunk. Reads the sizes of the next users while the consumer works on a chunk. */
export class IdChunks implements UserChunks {
  readonly condition = undefined;
  chunk: readonly number[] = [];
  bytes = 0;
  readonly #users: UserSource;
  readonly #ids: readonly number[];
  readonly #growth: number;
  #position = 0;
  /** The users from `#position` on that are measured at once, and their sizes. */
  #measured: { readonly end: number; readonly sizes: Promise<ReadonlyMap<number, number>> };

  constructor(users: UserSource, ids: readonly number[], growth: number) {
    this.#users = users;
    this.#ids = ids;
    this.#growth = growth;
    this.#measured = this.#measure();
  }

  async findChunk(): Promise<boolean> {
    const { end, sizes } = this.#measured;
    const ids = this.#ids.slice(this.#position, end);
    const { length, bytes } = cutChunk(ids, await sizes, this.#growth);
    this.chunk = ids.slice(0, length);
    this.bytes = bytes;
    return true;
  }

  continueAfter(users: readonly ChangedUser[]): void {
    this.#position += users.length;
    if (this.#position >= this.#measured.end) this.#measured = this.#measure();
  }

  #measure() {
    const end = Math.min(this.#position + bulkLimits.chunkLines, this.#ids.length);
    const ids = this.#ids.slice(this.#position, end);
    const sizes = ids.length > 0 ? this.#users.measure(ids) : Promise.resolve(new Map());
    // The sizes are awaited later. Until then, a failure must not count as an unhandled rejection.
    sizes.catch(() => undefined);
    return { end, sizes };
  }
}

/** A digest of ids. */
export async function hashIds(ids: readonly number[]): Promise<string> {
  const hash = createHash("sha256");
  for (let start = 0; start < ids.length; start += bulkLimits.chunkLines) {
    if (loopShare.isSpent) await loopShare.nextTurn();
    hash.update(`${ids.slice(start, start + bulkLimits.chunkLines).join()},`);
  }
  return hash.digest("base64url");
}
