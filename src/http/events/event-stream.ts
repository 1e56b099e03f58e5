import type { Clock, Timer } from "../../domain/clock.ts";
import { toEventId } from "../../domain/events/event.ts";
import type { FollowedEvents } from "../../domain/events/event-feed.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";

const HEARTBEAT_MS = 15_000;
/** How long clients wait before they reconnect. */
const RETRY_MS = 1000;
/** A follower that has this much to read gets nothing more until it reads. */
const MAX_UNREAD_BYTES = 65_536;
const CHECK_MS = 500;

interface EventStreamOptions {
  /** Whether the caller may still follow. */
  readonly isAdmitted: () => MaybePromise<boolean>;
  /** A caller that reads nothing for this long is disconnected. */
  readonly patienceMs: number;
  readonly clock: Clock;
}

const encoder = new TextEncoder();
/** Followers of the same events get the same bytes. */
const rendered = new WeakMap<FollowedEvents, Uint8Array>();

function renderBatch(batch: FollowedEvents): Uint8Array {
  const known = rendered.get(batch);
  if (known) return known;
  let text = "";
  for (const { position, json } of batch.events) text += `id: ${toEventId(position)}\ndata: ${json}\n\n`;
  const bytes = encoder.encode(text);
  rendered.set(batch, bytes);
  return bytes;
}

/**
 * Events as server-sent events. The first frame has been read already, so that its errors could become a response. Ends when
 * the service stops, when the caller may no longer follow, and when an error occurs: clients reconnect and get the reason.
 */
export function openEventStream(
  first: FollowedEvents,
  followed: AsyncGenerator<FollowedEvents, void>,
  { isAdmitted, patienceMs, clock }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  let next: FollowedEvents | undefined = first;
  let sentAt = clock.running();
  let unreadSince: number | undefined;
  let check: Timer | undefined;
  let isEnded = false;
  const end = () => {
    isEnded = true;
    check?.clear();
    void followed.return();
  };
  const readNext = async (): Promise<FollowedEvents | undefined> => {
    const current = next ?? (await followed.next()).value;
    next = undefined;
    return current && (await isAdmitted()) ? current : undefined;
  };
  /** What to send after these events, or without any. Undefined if nothing is due. */
  const render = (batch: FollowedEvents): Uint8Array | undefined => {
    if (batch.events.length > 0) return renderBatch(batch);
    if (clock.running() - sentAt < HEARTBEAT_MS) return undefined;
    return encoder.encode(`: heartbeat\nid: ${toEventId(batch.position)}\n\n`);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // The id lets a client resume that loses the connection before the first event.
        const id = first.events.length > 0 ? "" : `id: ${toEventId(first.position)}\n`;
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n${id}\n`));
        const endIfDue = async () => {
          const isSlow = unreadSince !== undefined && clock.running() - unreadSince > patienceMs;
          if ((!isSlow && (await isAdmitted())) || isEnded) return;
          end();
          // Without an argument: Bun would print the error.
          controller.error();
        };
        // After an error, the next check decides.
        check = clock.every(CHECK_MS, () => void endIfDue().catch(() => undefined));
      },
      async pull(controller) {
        unreadSince = undefined;
        while (!isEnded) {
          const current = await readNext().catch(() => undefined);
          if (isEnded) return;
          if (!current) {
            end();
            return controller.close();
          }
          const due = render(current);
          if (!due) continue;
          controller.enqueue(due);
          sentAt = clock.running();
          if ((controller.desiredSize ?? 0) <= 0) unreadSince = sentAt;
          return;
        }
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  );
}
