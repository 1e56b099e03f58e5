import { listLimits } from "../contract/listing.ts";
import { operations } from "../contract/operations.ts";
import type { FieldError } from "../contract/problems.ts";
import type { DeletedListQuery, DeletedPosition } from "../domain/deleted-user-store.ts";
import type { DeletedUsers } from "../domain/deleted-users.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import { andThen } from "../domain/maybe-promise.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { type BodyReader, parseJson, requireContentType } from "./body-reader.ts";
import { compressibleResponse } from "./compression/compressible.ts";
import { parseId, readPathId } from "./query/ids.ts";
import { parseFilterExpression, parseInteger, parseSearch } from "./query/list-query.ts";
import { linkFormatter } from "./query/page-links.ts";
import { formatEtag, parsePrecondition } from "./query/preconditions.ts";
import { type AddError, invalidQuery, parseParameters, readQueryString } from "./query/query-string.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";
import { changedUserResponse } from "./users.ts";

const acceptPost = { "accept-post": operations.restoreUser.request.types.join(", ") };
const parameterNames: readonly string[] = ["limit", "after", "q", "filter"];

/** Registers the handlers of deleted users. */
export function serveDeletedUsers(
  router: Router,
  deletedUsers: DeletedUsers,
  bodyReader: BodyReader,
  publicUrl: PublicUrl,
  feed: Pick<EventFeed, "lastId">,
): void {
  router.serve(operations.listDeletedUsers, async (context) => {
    const queryString = readQueryString(context.url);
    const query = parseQuery(queryString);
    // Read before the list, so that the event is not newer than the list.
    const headers: Record<string, string> = { vary: "Accept", "roster-event": feed.lastId };
    const { users, next } = await deletedUsers.list(query);
    if (next || query.after) {
      const formatLink = linkFormatter(
        publicUrl.findBase(context) + operations.listDeletedUsers.path,
        queryString,
      );
      const links = [formatLink("first", "")];
      if (next) links.unshift(formatLink("next", `after=${next.deletedAt}.${next.id}`));
      headers.link = links.join(", ");
    }
    const body = Buffer.from(`[${users.map(({ json }) => json).join()}]`);
    return compressibleResponse(context, body, headers);
  });

  router.serve(operations.readDeletedUser, (context) =>
    andThen(deletedUsers.read(userId(context)), (user) =>
      jsonResponse(context, 200, user.json, { etag: formatEtag(user) }),
    ),
  );

  router.serve(operations.restoreUser, async (context) => {
    const id = userId(context);
    const bytes = await bodyReader.read(context);
    if (bytes.length > 0)
      requireContentType(context.request, operations.restoreUser.request.types, acceptPost);
    const body = bytes.length > 0 ? parseJson(bytes) : undefined;
    const user = await deletedUsers.restore(originOf(context), id, body, parsePrecondition(context.request));
    return changedUserResponse(context, user);
  });

  router.serve(operations.purgeUser, async (context) => {
    await deletedUsers.purge(originOf(context), userId(context), parsePrecondition(context.request));
    return emptyResponse(context, 204);
  });

  router.setOptionsHeaders(operations.restoreUser.path, acceptPost);
}

function userId(context: RequestContext): number {
  return readPathId(context, "user-not-found");
}

/** Throws `invalid-query` with every error. */
function parseQuery(queryString: string): DeletedListQuery {
  const errors: FieldError[] = [];
  const addError: AddError = (parameter, detail, position) => {
    errors.push({ parameter, detail, ...(position !== undefined && { position }) });
    return undefined;
  };
  const parameters = parseParameters(queryString, addError);
  for (const [name, values] of parameters) {
    if (!parameterNames.includes(name)) {
      addError(name, `Unknown parameter. Deleted users support ${parameterNames.join(", ")}.`);
    } else if (values.length > 1) addError(name, "Send this parameter once.");
  }
  const first = (name: string) => parameters.get(name)?.[0];
  const { maximum, default: defaultLimit } = listLimits.pageSize;
  const limit =
    parseInteger(first("limit"), 1, maximum, defaultLimit) ??
    addError("limit", `Enter an integer from 1 to ${maximum}.`);
  const after = parseCursor(first("after"), addError);
  const search = parseSearch(first("q"), addError);
  const expression = parseFilterExpression(first("filter"), addError);
  if (errors.length > 0 || limit === undefined) throw invalidQuery(errors);
  return { order: "newest", limit, after, search, expression };
}

function parseCursor(cursor: string | undefined, addError: AddError): DeletedPosition | undefined {
  if (cursor === undefined) return undefined;
  const [time = "", idText = "", ...rest] = cursor.split(".");
  const deletedAt = time === "0" ? 0 : parseId(time);
  const id = parseId(idText);
  if (deletedAt === undefined || id === undefined || rest.length > 0) {
    return addError("after", "Invalid cursor. Use the whole URL of rel=next in the Link header.");
  }
  return { deletedAt, id };
}
