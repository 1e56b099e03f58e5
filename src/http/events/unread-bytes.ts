import { type Clock, Pause } from "../../domain/clock.ts";
import { SendSlice } from "../../domain/scheduling/send-slice.ts";
import type { FollowerMetrics } from "../../telemetry/follower-metrics.ts";

/** The most bytes that the followers of a node leave unread, all together. */
const MAX_UNREAD_BYTES = 64 * 1_048_576;
/** A follower that reads nothing for this long may have to make room for others. */
const SLOW_MS = 1000;
/** Bun needs up to four seconds to close a connection, and keeps its bytes until then. */
const CLOSE_MS = 5000;
const CHECK_MS = 250;

/** A stream that can have unread bytes. */
export interface UnreadStream {
  /** Ends the stream and closes its connection. */
  abort(): void;
}

interface Unread {
  readonly bytes: number;
  /** When the bytes were sent. */
  readonly since: number;
}

interface Waiting {
  readonly bytes: number;
  readonly resolve: () => void;
}

/**
 * Counts the bytes that the followers of a node have not read. If there are too many, the next bytes wait until there is room,
 * and the followers that have not read for longest are disconnected. They lose nothing: they continue after their last event.
 */
export class UnreadBytes {
  readonly #clock: Clock;
  readonly #metrics: FollowerMetrics;
  readonly #max: number;
  /** The longest unread first. */
  readonly #unread = new Map<UnreadStream, Unread>();
  /** Unread bytes of connections that are being closed. */
  #closingBytes = 0;
  /** The first to get room first. */
  readonly #waiting = new Map<UnreadStream, Waiting>();
  #waitingBytes = 0;
  #isMakingRoom = false;
  readonly #pause: Pause;

  constructor(clock: Clock, metrics: FollowerMetrics, max: number = MAX_UNREAD_BYTES) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#pause = new Pause(clock);
    this.#max = max;
  }

  /** Call it before the stream sends this many bytes. Returns a promise if they have to wait for room. */
  add(stream: UnreadStream, bytes: number): Promise<void> | undefined {
    if (this.#waiting.size === 0 && this.#hasRoom(bytes)) {
      this.#count(stream, bytes);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.set(stream, { bytes, resolve });
      this.#waitingBytes += bytes;
      if (this.#isMakingRoom) this.#pause.end();
      else void this.#makeRoom();
    });
  }

  /** The follower has read everything, or has disconnected. */
  remove(stream: UnreadStream): void {
    this.#metrics.unreadBytes -= this.#forget(stream);
    this.#pause.end();
  }

  /** The service disconnects the follower. */
  close(stream: UnreadStream): void {
    const bytes = this.#forget(stream);
    this.#metrics.unreadBytes -= bytes;
    this.#closingBytes += bytes;
    if (bytes === 0) return;
    this.#clock.after(CLOSE_MS, () => {
      this.#closingBytes -= bytes;
      this.#pause.end();
    });
  }

  #hasRoom(bytes: number): boolean {
    const taken = this.#metrics.unreadBytes + this.#closingBytes;
    return taken === 0 || taken + bytes <= this.#max;
  }

  #count(stream: UnreadStream, bytes: number): void {
    this.#unread.set(stream, { bytes, since: this.#clock.running() });
    this.#metrics.unreadBytes += bytes;
  }

  /** Returns the unread bytes of the stream. */
  #forget(stream: UnreadStream): number {
    const bytes = this.#unread.get(stream)?.bytes ?? 0;
    this.#unread.delete(stream);
    this.#endWait(stream);
    return bytes;
  }

  #endWait(stream: UnreadStream): void {
    const waiting = this.#waiting.get(stream);
    if (!waiting) return;
    this.#waiting.delete(stream);
    this.#waitingBytes -= waiting.bytes;
    waiting.resolve();
  }

  /** Lets bytes be sent as soon as there is room for them, and disconnects the slowest followers if there is none. */
  async #makeRoom(): Promise<void> {
    this.#isMakingRoom = true;
    const slice = new SendSlice();
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      if (slice.isFull) await slice.nextTurn();
      const [stream, { bytes }] = next;
      const slowest = this.#findSlowest();
      if (!this.#waiting.has(stream)) continue;
      if (this.#hasRoom(bytes)) {
        this.#count(stream, bytes);
        this.#endWait(stream);
        slice.add(bytes);
      } else if (slowest) {
        this.#metrics.closed.room++;
        slowest.abort();
        slice.add(0);
      } else {
        await this.#pause.wait(CHECK_MS);
      }
    }
    this.#isMakingRoom = false;
  }

  /** The follower to disconnect next; undefined if those that wait will have room, or if all others read. */
  #findSlowest(): UnreadStream | undefined {
    if (this.#metrics.unreadBytes + this.#waitingBytes <= this.#max) return undefined;
    const [first] = this.#unread;
    return first && this.#clock.running() - first[1].since >= SLOW_MS ? first[0] : undefined;
  }
}
