import { createHash } from "node:crypto";
import { mediaTypes, resolveMediaType } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { FieldError } from "../contract/problems.ts";
import { loopShare } from "../domain/bulk/loop-share.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import type { ListQuery, Page } from "../domain/lists/listing.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import { checkPrecondition } from "../domain/precondition.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { costOfFilter } from "../domain/request-cost.ts";
import type { StoredUser } from "../domain/user.ts";
import type { ReceivedBody, Users } from "../domain/users.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { mayReadUsers } from "./access/require-scope.ts";
import { type BodyReader, parseJson, requireContentType } from "./body-reader.ts";
import { compressibleResponse } from "./compression/compressible.ts";
import { HttpProblemError } from "./problem-response.ts";
import { readPathId } from "./query/ids.ts";
import { parseListQuery } from "./query/list-query.ts";
import { negotiateType } from "./query/negotiation.ts";
import { formatPageLinks } from "./query/page-links.ts";
import {
  formatEtag,
  matchesEtag,
  parseIdempotencyKey,
  parseIfMatch,
  parsePrecondition,
} from "./query/preconditions.ts";
import { type AddError, invalidQuery, parseParameters, readQueryString } from "./query/query-string.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const acceptPost = { "accept-post": operations.createUser.request.types.join(", ") };
const acceptPatch = { "accept-patch": operations.updateUser.request.types.join(", ") };

export interface UserRouteParts {
  readonly users: Users;
  readonly bodyReader: BodyReader;
  readonly publicUrl: PublicUrl;
  readonly feed: Pick<EventFeed, "lastId">;
  readonly limits: CallerLimits;
  /** The key or the address that a request comes from. */
  findOwner(context: RequestContext): string;
}

/** Registers the handlers of users. */
export function serveUsers(router: Router, parts: UserRouteParts): void {
  const { users, bodyReader, publicUrl, feed } = parts;
  const listHeaders = (
    context: RequestContext,
    queryString: string,
    query: ListQuery,
    page: Page,
    lastEventId: string,
  ) => {
    const headers: Record<string, string> = { vary: "Accept", "roster-event": lastEventId };
    if (page.next || query.from || query.offset > 0) {
      const listUrl = publicUrl.findBase(context) + operations.listUsers.path;
      headers.link = formatPageLinks(listUrl, queryString, query, page.next);
    }
    if (page.total) {
      headers["x-total-count"] = String(page.total.count);
      if (page.total.capped) headers["x-total-count-capped"] = "true";
    }
    return headers;
  };

  router.serve(
    operations.listUsers,
    (context) => {
      const queryString = readQueryString(context.url);
      const query = parseListQuery(queryString);
      if (query.expression) parts.limits.charge(context, costOfFilter(query.expression, query.count));
      // Read before the list, so that the event is not newer than the list.
      const { lastId } = feed;
      const findOwner = () => parts.findOwner(context);
      const found = andThen(users.list(query, findOwner), (page) => waitIfLarge(page, findOwner));
      return andThen(found, (page) =>
        compressibleResponse(context, page.body, listHeaders(context, queryString, query, page, lastId)),
      );
    },
    chooseListType,
  );

  router.serve(operations.createUser, async (context) => {
    const { request } = context;
    const by = originOf(context);
    rejectImport(request);
    requireContentType(request, operations.createUser.request.types, acceptPost);
    const idempotencyKey = parseIdempotencyKey(request);
    const { user, replayed } =
      idempotencyKey === undefined
        ? { user: await users.create(by, await bodyReader.readJson(context)), replayed: false }
        : await users.createIdempotent(by, idempotencyKey, async () =>
            toReceivedBody(await bodyReader.read(context)),
          );
    return jsonResponse(context, 201, user.json, {
      location: `${publicUrl.findBase(context)}/api/users/${user.id}`,
      etag: formatEtag(user),
      ...(replayed && { "idempotency-replayed": "true" }),
    });
  });

  router.serve(operations.readUser, (context) =>
    andThen(users.read(userId(context)), (user) => {
      const precondition = parseIfMatch(context.request);
      if (precondition) checkPrecondition(precondition, user);
      const etag = formatEtag(user);
      return matchesEtag(context.request.headers.get("if-none-match"), etag)
        ? emptyResponse(context, 304, { etag })
        : jsonResponse(context, 200, user.json, { etag });
    }),
  );

  router.serve(operations.replaceUser, async (context) => {
    const id = userId(context);
    requireContentType(context.request, operations.replaceUser.request.types, {});
    const body = await bodyReader.readJson(context);
    const user = await users.replace(originOf(context), id, body, parsePrecondition(context.request));
    return changedUserResponse(context, user);
  });

  router.serve(operations.updateUser, async (context) => {
    const id = userId(context);
    requireContentType(context.request, operations.updateUser.request.types, acceptPatch);
    const body = await bodyReader.readJson(context);
    const user = await users.update(originOf(context), id, body, parsePrecondition(context.request));
    return changedUserResponse(context, user);
  });

  router.serve(operations.deleteUser, async (context) => {
    const purge = parsePurge(readQueryString(context.url));
    await users.remove(originOf(context), userId(context), parsePrecondition(context.request), purge);
    return emptyResponse(context, 204);
  });

  router.setOptionsHeaders(operations.createUser.path, acceptPost);
  router.setOptionsHeaders(operations.updateUser.path, acceptPatch);
}

/** Sending a page of this size takes a fraction of a millisecond. */
const QUICK_BYTES = 65_536;

/** Callers with larger pages take turns. */
function waitIfLarge(page: Page, findOwner: () => string): MaybePromise<Page> {
  if (page.body.length <= QUICK_BYTES) return page;
  return loopShare.nextTurn({ owner: findOwner(), alone: true }).then(() => page);
}

/** Throws `invalid-query`. */
function parsePurge(queryString: string): boolean {
  const errors: FieldError[] = [];
  const addError: AddError = (parameter, detail) => {
    errors.push({ parameter, detail });
    return undefined;
  };
  const parameters = parseParameters(queryString, addError);
  for (const [name, values] of parameters) {
    if (name !== "purge") addError(name, "Unknown parameter. A delete supports purge.");
    else if (values.length > 1) addError(name, "Send this parameter once.");
    else if (values[0] !== "true" && values[0] !== "false") addError(name, "Enter true or false.");
  }
  if (errors.length > 0) throw invalidQuery(errors);
  return parameters.get("purge")?.[0] === "true";
}

/** The user after a change. Callers that must not read users get the ETag only: an empty PATCH would read any user. */
export function changedUserResponse(context: RequestContext, user: StoredUser): Response {
  const headers = { etag: formatEtag(user) };
  return mayReadUsers(context.caller)
    ? jsonResponse(context, 200, user.json, headers)
    : emptyResponse(context, 204, headers);
}

const bulkTypes: readonly string[] = [mediaTypes.ndjson, mediaTypes.csv];

/** Throws `not-acceptable` for the media types of exports, with the path of exports. */
function chooseListType({ request }: RequestContext, types: readonly string[]): string | undefined {
  const accept = request.headers.get("accept");
  const type = negotiateType(accept, types);
  if (type === undefined && negotiateType(accept, bulkTypes) !== undefined) {
    const { method, path } = operations.exportUsers;
    throw new ProblemError(
      "not-acceptable",
      `A list is available as ${types.join(" or ")} only. To get users as NDJSON or CSV, use ${method} ${path}.`,
    );
  }
  return type;
}

/** Throws `unsupported-media-type` for the media types of imports, with the path of imports. */
function rejectImport({ headers }: Request): void {
  const [type = ""] = headers.get("content-type")?.split(";") ?? [];
  if (!bulkTypes.includes(resolveMediaType(type.trim().toLowerCase()))) return;
  const { method, path } = operations.importUsers;
  throw new HttpProblemError(
    "unsupported-media-type",
    `This path creates one user, as ${operations.createUser.request.types.join(" or ")}. To import NDJSON or CSV, use ${method} ${path}.`,
    acceptPost,
  );
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

function userId(context: RequestContext): number {
  return readPathId(context, "user-not-found");
}
