import { operations } from "../contract/operations.ts";
import type { Users } from "../domain/users/users.ts";
import { userQueries } from "./query/user-queries.ts";
import { createRecordHandlers, type RecordRouteParts } from "./records.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of users. */
export function serveUsers(router: Router, users: Users, parts: RecordRouteParts): void {
  const { listUsers, explainUsers, createUser, readUser, replaceUser, updateUser, deleteUser } = operations;
  const handlers = createRecordHandlers(parts, {
    records: users,
    queries: userQueries,
    operations: { list: listUsers, create: createUser },
    readScope: "users:read",
  });

  router.serve(listUsers, handlers.list);
  router.serve(explainUsers, handlers.explain);
  router.serve(createUser, handlers.create);
  router.serve(readUser, handlers.read);
  router.serve(replaceUser, handlers.replace);
  router.serve(updateUser, handlers.update);
  router.serve(deleteUser, async (context, { id, precondition, purge }) => {
    await users.remove(originOf(context), id, precondition, purge);
    return emptyResponse(context, 204);
  });
}
