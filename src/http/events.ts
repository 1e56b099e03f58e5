import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { Clock } from "../domain/clock.ts";
import { toEventId } from "../domain/events/event.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import type { EventPage, EventQuery } from "../domain/events/event-store.ts";
import type { Events } from "../domain/events/events.ts";
import type { Follower, FollowQuery } from "../domain/events/follower.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import type { FollowerMetrics } from "../telemetry/follower-metrics.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import { type EventInput, parseEventQuery, parseFollowQuery } from "./events/event-query.ts";
import { openEventStream } from "./events/event-stream.ts";
import { FollowerPlaces } from "./events/follower-places.ts";
import { UnreadBytes } from "./events/unread-bytes.ts";
import type { Links } from "./links.ts";
import type { RequestContext } from "./request-context.ts";
import { streamResponse } from "./responses.ts";
import type { Router } from "./router.ts";
import type { Streams } from "./streams/streams.ts";

export interface EventRouteParts {
  readonly events: Events;
  readonly feed: EventFeed;
  readonly streams: Streams;
  readonly links: Links;
  /** A follower that reads nothing for this long is disconnected. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly metrics: FollowerMetrics;
  readonly limits: CallerLimits;
  /** Whether the caller of an admitted request may still call. */
  isStillAdmitted(context: RequestContext): MaybePromise<boolean>;
  /** Turns the idle timeout of the request's connection on or off. */
  setIdleTimeout(request: Request, enabled: boolean): void;
  /** Closes the request's connection, with a response that the caller does not read. */
  closeConnection(request: Request): void;
  /** Does not count a request while it waits. */
  releaseWhile<T>(waiting: Promise<T>): Promise<T>;
}

/** Registers the handlers of events. */
export function serveEvents(router: Router, parts: EventRouteParts): void {
  const { events, feed, streams, links, limits, clock, metrics, patienceMs } = parts;
  const { isStillAdmitted, setIdleTimeout, closeConnection, releaseWhile } = parts;
  const places = new FollowerPlaces(metrics);
  const unread = new UnreadBytes(clock, metrics);

  /** The follower has one of its owner's places until it ends. */
  const openFollower = async (context: RequestContext, query: FollowQuery): Promise<Follower> => {
    const leave = places.take(limits.findOwner(context));
    try {
      return await feed.open(query, leave);
    } catch (error) {
      leave();
      throw error;
    }
  };

  /** Waits for the next events of a query. Returns an empty page if none comes, or if the caller may no longer call. */
  const waitForEvents = async (
    context: RequestContext,
    query: EventQuery,
    seconds: number,
  ): Promise<EventPage> => {
    const deadline = clock.monotonic() + seconds * 1000;
    const follower = await openFollower(context, query);
    const endUnlessAdmitted = (admitted: boolean) => (admitted ? undefined : follower.end());
    follower.onCheck = () => {
      if (clock.monotonic() > deadline || context.request.signal.aborted) return follower.end();
      return andThen(isStillAdmitted(context), endUnlessAdmitted);
    };
    try {
      for (let next = await follower.next(); next; next = await follower.next()) {
        if (next.events.length === 0) continue;
        const page = next.events.slice(0, query.limit);
        return { events: page, next: next.events.length > page.length ? page.at(-1)?.position : undefined };
      }
      return { events: [], next: undefined };
    } finally {
      follower.end();
    }
  };

  /** If there is no event, waits for one for so many seconds. */
  const listEvents = (context: RequestContext, query: EventQuery, waitSeconds: number | undefined) => {
    const found = andThen(events.list(query), (page) =>
      waitSeconds !== undefined && page.events.length === 0 && page.next === undefined
        ? releaseWhile(waitForEvents(context, query, waitSeconds))
        : page,
    );
    return andThen(found, (page) =>
      links.respondWithPage(context, operations.listEvents, {
        body: `[${page.events.map(({ json }) => json).join()}]`,
        next: page.next === undefined ? undefined : toEventId(page.next),
      }),
    );
  };

  const followEvents = async (context: RequestContext, query: FollowQuery) => {
    const { request } = context;
    // Proxies must not collect the stream before they pass it on.
    const headers = { vary: "Accept", "x-accel-buffering": "no" };
    if (request.method === "HEAD") return streamResponse(context, mediaTypes.eventStream, null, headers);
    const stream = openEventStream(await openFollower(context, query), {
      isAdmitted: () => isStillAdmitted(context),
      patienceMs,
      purges: () => feed.purges,
      unread,
      metrics,
      clock,
      onEnd: (connection) =>
        connection === "kept" ? setIdleTimeout(request, true) : closeConnection(request),
    });
    setIdleTimeout(request, false);
    return streamResponse(context, mediaTypes.eventStream, stream, headers);
  };

  const respond = (context: RequestContext, input: EventInput, historyOf?: number) => {
    if (context.responseType === mediaTypes.eventStream)
      return followEvents(context, parseFollowQuery(input, historyOf));
    const query = parseEventQuery(input, historyOf);
    if (context.responseType !== mediaTypes.ndjson) return listEvents(context, query, input.wait);
    return streams.respondWithList(context, mediaTypes.ndjson, {}, (signal, meter) =>
      events.export(query, signal, meter),
    );
  };

  router.serve(operations.listEvents, (context, input) => respond(context, input));
  router.serve(operations.listUserEvents, (context, { id, ...input }) => respond(context, input, id));
}
