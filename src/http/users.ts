import { createHash } from "node:crypto";
import { operations } from "../contract/operations.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import { encodeCursor } from "../domain/lists/cursor.ts";
import type { ListQuery, Page } from "../domain/lists/listing.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { StoredRecord } from "../domain/records/record.ts";
import { costOfFilter } from "../domain/request-cost.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import type { ReceivedBody, Users } from "../domain/users/users.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import { mayReadUsers } from "./access/require-scope.ts";
import { type BodyReader, parseJson } from "./body-reader.ts";
import type { Links, ListPage } from "./links.ts";
import { formatEtag } from "./query/headers.ts";
import { userQueries } from "./query/user-queries.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse, versionedResponse } from "./responses.ts";
import type { Router } from "./router.ts";

export interface UserRouteParts {
  readonly users: Users;
  readonly bodyReader: BodyReader;
  readonly links: Links;
  readonly feed: Pick<EventFeed, "lastId">;
  readonly limits: CallerLimits;
}

/** Registers the handlers of users. */
export function serveUsers(router: Router, parts: UserRouteParts): void {
  const { users, bodyReader, links, feed, limits } = parts;
  const { listUsers, explainUsers, createUser, readUser, replaceUser, updateUser, deleteUser } = operations;

  router.serve(listUsers, (context, { queryString }) => {
    const query = userQueries.parse(queryString);
    if (query.expression) limits.charge(context, costOfFilter(query.expression, query.count));
    // Read before the list, so that the event is not newer than the list.
    const { lastId } = feed;
    const findOwner = () => limits.findOwner(context);
    const found = andThen(users.list(query, findOwner), (page) => waitIfLarge(page, findOwner));
    return andThen(found, (page) =>
      links.respondWithPage(context, listUsers, toListPage(query, page, lastId)),
    );
  });

  router.serve(explainUsers, async (context, { queryString }) => {
    const query = userQueries.parse(queryString);
    limits.charge(context, costOfFilter(query.expression));
    const explanation = await users.explain(query, () => limits.findOwner(context));
    return jsonResponse(context, 200, JSON.stringify(explanation));
  });

  router.serve(createUser, async (context, { idempotencyKey }) => {
    const by = originOf(context);
    const { user, replayed } =
      idempotencyKey === undefined
        ? { user: await users.create(by, parseJson(await bodyReader.read(context))), replayed: false }
        : await users.createIdempotent(by, idempotencyKey, async () =>
            toReceivedBody(await bodyReader.read(context)),
          );
    return jsonResponse(context, 201, user.json, {
      location: links.locate(context, `/api/users/${user.id}`),
      etag: formatEtag(user),
      ...(replayed && { "idempotency-replayed": "true" }),
    });
  });

  router.serve(readUser, (context, { id, precondition, ifNoneMatch }) =>
    andThen(users.read(id, precondition), (user) => versionedResponse(context, user.json, user, ifNoneMatch)),
  );

  router.serve(replaceUser, async (context, { id, body, precondition }) =>
    changedUserResponse(context, await users.replace(originOf(context), id, body, precondition)),
  );

  router.serve(updateUser, async (context, { id, body, precondition }) =>
    changedUserResponse(context, await users.update(originOf(context), id, body, precondition)),
  );

  router.serve(deleteUser, async (context, { id, precondition, purge }) => {
    await users.remove(originOf(context), id, precondition, purge);
    return emptyResponse(context, 204);
  });
}

function toListPage(query: ListQuery, { body, next, total }: Page, lastEventId: string): ListPage {
  const { from, offset, limit } = query;
  const headers: Record<string, string> = { "roster-event": lastEventId };
  if (total) {
    headers["x-total-count"] = String(total.count);
    if (total.capped) headers["x-total-count-capped"] = "true";
  }
  return {
    body,
    headers,
    next: next && encodeCursor(query, next),
    // A cursor does not tell where the page before begins.
    previous: from || offset === 0 ? undefined : Math.max(0, offset - limit),
    isFirst: !from && offset === 0,
  };
}

/** Sending a page of this size takes a fraction of a millisecond. */
const QUICK_BYTES = 65_536;

/** Callers with larger pages take turns. */
function waitIfLarge(page: Page, findOwner: () => string): MaybePromise<Page> {
  if (page.body.length <= QUICK_BYTES) return page;
  return loopShare.nextTurn({ owner: findOwner(), alone: true }).then(() => page);
}

/** The user after a change. Callers that must not read users get the ETag only: an empty PATCH would read any user. */
export function changedUserResponse(context: RequestContext, user: StoredRecord): Response {
  return mayReadUsers(context.caller)
    ? versionedResponse(context, user.json, user)
    : emptyResponse(context, 204, { etag: formatEtag(user) });
}

/** A body that is not JSON is an outcome too: an Idempotency-Key stores its problem. */
function toReceivedBody(bytes: Uint8Array): ReceivedBody {
  const fingerprint = createHash("sha256").update(bytes).digest("base64url");
  try {
    return { fingerprint, body: parseJson(bytes) };
  } catch (error) {
    if (error instanceof ProblemError) return { fingerprint, problem: error };
    throw error;
  }
}
