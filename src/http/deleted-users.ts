import { operations } from "../contract/operations.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import { parseRecordExpression } from "../domain/filter/parse-expression.ts";
import { andThen } from "../domain/maybe-promise.ts";
import type { DeletedPosition } from "../domain/users/deleted-user-store.ts";
import type { DeletedUsers } from "../domain/users/deleted-users.ts";
import type { Links } from "./links.ts";
import { parseFilter, parseSearch } from "./query/list-query.ts";
import { collectErrors } from "./query/query-string.ts";
import { changedResponse } from "./records.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse, versionedResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of deleted users. */
export function serveDeletedUsers(
  router: Router,
  deletedUsers: DeletedUsers,
  links: Links,
  feed: Pick<EventFeed, "lastId">,
): void {
  const { listDeletedUsers, readDeletedUser, restoreUser, purgeUser } = operations;

  router.serve(listDeletedUsers, async (context, { limit, after, q, filter }) => {
    const selection = collectErrors((addError) => ({
      search: parseSearch(q, addError),
      expression: parseFilter(filter, parseRecordExpression, addError),
    }));
    // Read before the list, so that the event is not newer than the list.
    const headers = { "roster-event": feed.lastId };
    const { users, next } = await deletedUsers.list({
      order: "newest",
      limit,
      after: after === undefined ? undefined : parseCursor(after),
      ...selection,
    });
    return links.respondWithPage(context, listDeletedUsers, {
      body: Buffer.from(`[${users.map(({ json }) => json).join()}]`),
      next: next && `${next.deletedAt}.${next.id}`,
      isFirst: after === undefined,
      headers,
    });
  });

  router.serve(readDeletedUser, (context, { id }) =>
    andThen(deletedUsers.read(id), (user) => versionedResponse(context, user.json, user)),
  );

  router.serve(restoreUser, async (context, { id, body, precondition }) => {
    const user = await deletedUsers.restore(originOf(context), id, body, precondition);
    return changedResponse(context, user, "users:read");
  });

  router.serve(purgeUser, async (context, { id, precondition }) => {
    await deletedUsers.purge(originOf(context), id, precondition);
    return emptyResponse(context, 204);
  });
}

/** The time of a deletion and the id of a user. */
function parseCursor(cursor: string): DeletedPosition {
  const [deletedAt, id] = cursor.split(".");
  return { deletedAt: Number(deletedAt), id: Number(id) };
}
