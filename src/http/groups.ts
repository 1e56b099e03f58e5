import { operations } from "../contract/operations.ts";
import type { Groups } from "../domain/groups/groups.ts";
import { groupQueries } from "./query/group-queries.ts";
import { createRecordHandlers, type RecordRouteParts } from "./records.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of groups. */
export function serveGroups(router: Router, groups: Groups, parts: RecordRouteParts): void {
  const { listGroups, explainGroups, createGroup, readGroup, replaceGroup, updateGroup, deleteGroup } =
    operations;
  const handlers = createRecordHandlers(parts, {
    records: groups,
    queries: groupQueries,
    operations: { list: listGroups, create: createGroup },
    readScope: "groups:read",
  });

  router.serve(listGroups, handlers.list);
  router.serve(explainGroups, handlers.explain);
  router.serve(createGroup, handlers.create);
  router.serve(readGroup, handlers.read);
  router.serve(replaceGroup, handlers.replace);
  router.serve(updateGroup, handlers.update);
  router.serve(deleteGroup, async (context, { id, precondition }) => {
    await groups.remove(originOf(context), id, precondition);
    return emptyResponse(context, 204);
  });
}
