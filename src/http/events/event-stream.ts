import type { Clock } from "../../domain/clock.ts";
import { type StoredEvent, toEventId } from "../../domain/events/event.ts";
import type { FollowedEvents, Follower } from "../../domain/events/follower.ts";
import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import type { FollowerMetrics } from "../../telemetry/follower-metrics.ts";
import type { UnreadBytes } from "./unread-bytes.ts";

const HEARTBEAT_MS = 15_000;
/** How long clients wait before they reconnect. */
const RETRY_MS = 1000;

interface EventStreamOptions {
  /** Whether the caller may still follow. */
  readonly isAdmitted: () => MaybePromise<boolean>;
  /** A caller that reads nothing for this long is disconnected. */
  readonly patienceMs: number;
  /** How many purges the feed has seen. */
  readonly purges: () => number;
  /** Shared by all event streams of the node. */
  readonly unread: UnreadBytes;
  readonly metrics: FollowerMetrics;
  readonly clock: Clock;
  /** The stream has ended. The connection of a caller that does not read has to be closed. */
  readonly onEnd: (connection: "kept" | "closed") => void;
}

const encoder = new TextEncoder();
/** Every event is encoded once for all followers, and followers of the same events get the same bytes. */
const encoded = new WeakMap<StoredEvent | FollowedEvents, Uint8Array>();

function encodeOnce(key: StoredEvent | FollowedEvents, encode: () => Uint8Array): Uint8Array {
  const known = encoded.get(key);
  if (known) return known;
  const bytes = encode();
  encoded.set(key, bytes);
  return bytes;
}

function encodeEvent(event: StoredEvent): Uint8Array {
  return encodeOnce(event, () => encoder.encode(`id: ${toEventId(event.position)}\ndata: ${event.json}\n\n`));
}

function encodeEvents(followed: FollowedEvents): Uint8Array {
  return encodeOnce(followed, () => Buffer.concat(followed.events.map(encodeEvent)));
}

/** The id lets a client resume that loses the connection before the first event. */
function encodeBeginning({ events, position }: FollowedEvents): Uint8Array {
  const id = events.length > 0 ? "" : `id: ${toEventId(position)}\n`;
  return encoder.encode(`retry: ${RETRY_MS}\n${id}\n`);
}

function encodeHeartbeat({ position }: FollowedEvents): Uint8Array {
  return encoder.encode(`: heartbeat\nid: ${toEventId(position)}\n\n`);
}

/**
 * Events as server-sent events. Ends when the service stops, when the caller may no longer follow, when the caller does not read,
 * and when an error occurs: clients reconnect and get the reason.
 */
export function openEventStream(
  follower: Follower,
  { isAdmitted, patienceMs, purges, unread, metrics, clock, onEnd }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  let sentAt: number | undefined;
  /** Set while the caller has something to read. A caller that disconnects early reads nothing at all. */
  let unreadSince: number | undefined = clock.running();
  let isEnded = false;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const end = () => {
    isEnded = true;
    follower.end();
  };
  const finish = () => {
    end();
    unread.remove(stream);
    onEnd("kept");
    controller.close();
  };
  const stream = {
    abort() {
      if (isEnded) return;
      end();
      unread.close(stream);
      onEnd("closed");
      // Without an argument: Bun would print the error.
      controller.error();
    },
  };
  /** A caller that has read everything gets a complete response, without what still waits for room. */
  const stop = () => {
    if (unreadSince !== undefined) return stream.abort();
    follower.end();
    unread.remove(stream);
  };
  follower.onCheck = () => {
    if (isEnded) return;
    const now = clock.running();
    if (follower.isEnded) return stop();
    if (unreadSince !== undefined && now - unreadSince > patienceMs) {
      metrics.closed.slow++;
      return stop();
    }
    if (unreadSince === undefined && now - (sentAt ?? now) >= HEARTBEAT_MS) follower.wake();
    return andThen(isAdmitted(), (admitted) => (admitted || isEnded ? undefined : stop()));
  };
  const readNext = async (): Promise<FollowedEvents | undefined> => {
    const next = await follower.next();
    return next && (await isAdmitted()) ? next : undefined;
  };
  /** What to send after these events, or without any. Undefined if nothing is due. */
  const render = (followed: FollowedEvents): Uint8Array | undefined => {
    const hasEvents = followed.events.length > 0;
    if (sentAt === undefined) {
      const beginning = encodeBeginning(followed);
      return hasEvents ? Buffer.concat([beginning, encodeEvents(followed)]) : beginning;
    }
    if (hasEvents) return encodeEvents(followed);
    return clock.running() - sentAt < HEARTBEAT_MS ? undefined : encodeHeartbeat(followed);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created;
      },
      async pull() {
        unreadSince = undefined;
        unread.remove(stream);
        while (!isEnded) {
          const followed = await readNext().catch(() => undefined);
          if (isEnded) return;
          if (!followed) return finish();
          const bytes = render(followed);
          if (!bytes) continue;
          await unread.add(stream, bytes.length);
          if (isEnded) return;
          // The caller may no longer follow, the service has stopped, or a purge has erased data while the bytes waited for room.
          const isErased = followed.events.length > 0 && followed.purges !== purges();
          if (follower.isEnded || isErased) return finish();
          controller.enqueue(bytes);
          unreadSince = clock.running();
          sentAt = unreadSince;
          return;
        }
      },
      cancel() {
        end();
        unread.remove(stream);
      },
    },
    // The service gets to know when the caller has read: only then Bun asks for more.
    { highWaterMark: 0 },
  );
}
