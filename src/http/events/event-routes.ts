import { mediaTypes } from "../../contract/operation.ts";
import { operations } from "../../contract/operations.ts";
import type { Clock } from "../../domain/clock.ts";
import { type EventSubject, toEventId } from "../../domain/events/event.ts";
import type { EventFeed } from "../../domain/events/event-feed.ts";
import type { EventPage, EventQuery } from "../../domain/events/event-store.ts";
import type { Events } from "../../domain/events/events.ts";
import type { Follower, FollowQuery } from "../../domain/events/follower.ts";
import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import type { FollowerMetrics } from "../../telemetry/follower-metrics.ts";
import type { PublicUrl } from "../access/public-url.ts";
import { readPathId } from "../query/ids.ts";
import { readQueryString } from "../query/query-string.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse, streamResponse } from "../responses.ts";
import type { Router } from "../router.ts";
import type { Streams } from "../streams/streams.ts";
import { parseEventQuery, parseFollowQuery, readLastEventId } from "./event-query.ts";
import { openEventStream } from "./event-stream.ts";
import { FollowerPlaces } from "./follower-places.ts";
import { UnreadBytes } from "./unread-bytes.ts";

export interface EventRouteParts {
  readonly events: Events;
  readonly feed: EventFeed;
  readonly streams: Streams;
  readonly publicUrl: PublicUrl;
  /** A follower that reads nothing for this long is disconnected. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly metrics: FollowerMetrics;
  /** Whose share of the places a follower takes: a key or an address. */
  findOwner(context: RequestContext): string;
  /** Whether the caller of an admitted request may still call. */
  isStillAdmitted(context: RequestContext): MaybePromise<boolean>;
  /** Turns the idle timeout of the request's connection on or off. */
  setIdleTimeout(request: Request, enabled: boolean): void;
  /** Closes the request's connection, with a response that the caller does not read. */
  closeConnection(request: Request): void;
  /** Does not count a request while it waits. */
  releaseWhile<T>(waiting: Promise<T>): Promise<T>;
}

/** What all followers of a node share. */
interface FollowerParts {
  readonly places: FollowerPlaces;
  readonly unread: UnreadBytes;
}

/** Registers the handlers of events. */
export function serveEvents(router: Router, parts: EventRouteParts): void {
  const { clock, metrics } = parts;
  const shared = { places: new FollowerPlaces(metrics), unread: new UnreadBytes(clock, metrics) };
  const respond = (context: RequestContext, path: string, subject?: EventSubject) => {
    // Only event streams use the header, but an invalid one is always an error.
    readLastEventId(context.request);
    switch (context.responseType) {
      case mediaTypes.ndjson:
        return exportEvents(context, subject, parts);
      case mediaTypes.eventStream:
        return followEvents(context, subject, parts, shared);
      default:
        return listEvents(context, path, subject, parts, shared);
    }
  };

  router.serve(operations.listEvents, (context) => respond(context, operations.listEvents.path));

  router.serve(operations.listUserEvents, (context) => {
    const id = readPathId(context, "user-not-found");
    return respond(context, `/api/users/${id}/events`, { type: "user", id });
  });
}

function listEvents(
  context: RequestContext,
  path: string,
  subject: EventSubject | undefined,
  parts: EventRouteParts,
  shared: FollowerParts,
): MaybePromise<Response> {
  const queryString = readQueryString(context.url);
  const { query, waitSeconds } = parseEventQuery(queryString, subject);
  const found = andThen(parts.events.list(query), (page) =>
    waitSeconds !== undefined && page.events.length === 0 && page.next === undefined
      ? waitForEvents(context, query, waitSeconds, parts, shared)
      : page,
  );
  return andThen(found, ({ events, next }) => {
    const headers: Record<string, string> = { vary: "Accept" };
    if (next !== undefined) {
      const parameters = new URLSearchParams(queryString);
      parameters.set("after", toEventId(next));
      headers.link = `<${parts.publicUrl.findBase(context)}${path}?${parameters}>; rel="next"`;
    }
    return jsonResponse(context, 200, `[${events.map(({ json }) => json).join()}]`, headers);
  });
}

/** Waits for the next events of a query. Returns an empty page if none comes, or if the caller may no longer call. */
async function waitForEvents(
  context: RequestContext,
  query: EventQuery,
  seconds: number,
  parts: EventRouteParts,
  shared: FollowerParts,
): Promise<EventPage> {
  const { clock, isStillAdmitted, releaseWhile } = parts;
  const { request } = context;
  const deadline = clock.monotonic() + seconds * 1000;
  const wait = async (): Promise<EventPage> => {
    const follower = await openFollower(context, query, parts, shared);
    const endUnlessAdmitted = (admitted: boolean) => (admitted ? undefined : follower.end());
    follower.onCheck = () => {
      if (clock.monotonic() > deadline || request.signal.aborted) return follower.end();
      return andThen(isStillAdmitted(context), endUnlessAdmitted);
    };
    try {
      for (let next = await follower.next(); next; next = await follower.next()) {
        const { events } = next;
        if (events.length === 0) continue;
        const page = events.slice(0, query.limit);
        return { events: page, next: events.length > page.length ? page.at(-1)?.position : undefined };
      }
      return { events: [], next: undefined };
    } finally {
      follower.end();
    }
  };
  return await releaseWhile(wait());
}

/** The follower has one of its owner's places until it ends. */
async function openFollower(
  context: RequestContext,
  query: FollowQuery,
  { feed, findOwner }: EventRouteParts,
  { places }: FollowerParts,
): Promise<Follower> {
  const leave = places.take(findOwner(context));
  try {
    return await feed.open(query, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

function exportEvents(
  context: RequestContext,
  subject: EventSubject | undefined,
  { events, streams }: EventRouteParts,
): Promise<Response> {
  const { query } = parseEventQuery(readQueryString(context.url), subject);
  return streams.respondWithList(context, mediaTypes.ndjson, {}, (signal, meter) =>
    events.export(query, signal, meter),
  );
}

async function followEvents(
  context: RequestContext,
  subject: EventSubject | undefined,
  parts: EventRouteParts,
  shared: FollowerParts,
): Promise<Response> {
  const { patienceMs, clock, metrics, isStillAdmitted, setIdleTimeout, closeConnection } = parts;
  const { request } = context;
  const query = parseFollowQuery(readQueryString(context.url), request, subject);
  // Proxies must not collect the stream before they pass it on.
  const headers = { vary: "Accept", "x-accel-buffering": "no" };
  if (request.method === "HEAD") return streamResponse(context, mediaTypes.eventStream, null, headers);
  const stream = openEventStream(await openFollower(context, query, parts, shared), {
    isAdmitted: () => isStillAdmitted(context),
    patienceMs,
    unread: shared.unread,
    metrics,
    clock,
    onEnd: (connection) => (connection === "kept" ? setIdleTimeout(request, true) : closeConnection(request)),
  });
  setIdleTimeout(request, false);
  return streamResponse(context, mediaTypes.eventStream, stream, headers);
}
