import { mediaTypes } from "../../contract/operation.ts";
import { operations } from "../../contract/operations.ts";
import { type EventSubject, toEventId } from "../../domain/event.ts";
import type { EventQuery } from "../../domain/event-store.ts";
import type { Events } from "../../domain/events.ts";
import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import type { PublicUrl } from "../access/public-url.ts";
import type { Bulk } from "../bulk/bulk.ts";
import { readPathId } from "../ids.ts";
import { readQueryString } from "../query-string.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import type { Router } from "../router.ts";
import { parseEventQuery } from "./event-query.ts";

/** Registers the handlers of events. */
export function serveEvents(router: Router, events: Events, bulk: Bulk, publicUrl: PublicUrl): void {
  const respond = (context: RequestContext, path: string, subject?: EventSubject): MaybePromise<Response> => {
    const queryString = readQueryString(context.url);
    const query = parseEventQuery(queryString, subject);
    return context.responseType === mediaTypes.ndjson
      ? exportEvents(context, query)
      : respondWithPage(context, publicUrl.findBase(context) + path, queryString, query);
  };

  const respondWithPage = (context: RequestContext, url: string, queryString: string, query: EventQuery) =>
    andThen(events.list(query), (page) => {
      const headers: Record<string, string> = { vary: "Accept" };
      if (page.next !== undefined) {
        const parameters = new URLSearchParams(queryString);
        parameters.set("after", toEventId(page.next));
        headers.link = `<${url}?${parameters}>; rel="next"`;
      }
      const body = `[${page.events.map(({ json }) => json).join()}]`;
      return jsonResponse(context, 200, body, headers);
    });

  const exportEvents = (context: RequestContext, query: EventQuery) =>
    bulk.respondWithList(context, mediaTypes.ndjson, {}, (signal, meter) =>
      events.export(query, signal, meter),
    );

  router.serve(operations.listEvents, (context) => respond(context, operations.listEvents.path));

  router.serve(operations.listUserEvents, (context) => {
    const id = readPathId(context, "user-not-found");
    return respond(context, `/api/users/${id}/events`, { type: "user", id });
  });
}
