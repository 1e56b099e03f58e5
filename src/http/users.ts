import { createHash } from "node:crypto";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { encodeCursor, type ListQuery, type Page } from "../domain/listing.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { checkPrecondition } from "../domain/precondition.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { StoredUser } from "../domain/user.ts";
import type { ReceivedBody, Users } from "../domain/users.ts";
import { type BodyReader, parseJson, requireContentType } from "./body-reader.ts";
import type { Bulk } from "./bulk/bulk.ts";
import { readPathId } from "./ids.ts";
import { parseListQuery } from "./list-query.ts";
import {
  formatEtag,
  matchesEtag,
  parseIdempotencyKey,
  parseIfMatch,
  parsePrecondition,
} from "./preconditions.ts";
import { invalidQuery, readQueryString } from "./query-string.ts";
import type { RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const { request: create } = operations.createUser;
const createTypes: readonly string[] = [...create.types, ...create.alternatives.map(({ type }) => type)];
const acceptPost = { "accept-post": createTypes.join(", ") };
const acceptPatch = { "accept-patch": operations.updateUser.request.types.join(", ") };

/** Registers the handlers of users. */
export function serveUsers(router: Router, users: Users, bodyReader: BodyReader, bulk: Bulk): void {
  router.serve(operations.listUsers, (context) => {
    const queryString = readQueryString(context.request.url);
    const query = parseListQuery(queryString);
    const { responseType = mediaTypes.json } = context;
    if (responseType !== mediaTypes.json) {
      rejectPaging(queryString);
      return bulk.export(context, query, responseType);
    }
    return andThen(users.list(query), (page) =>
      jsonResponse(context, 200, page.body, listHeaders(queryString, query, page)),
    );
  });

  router.serve(operations.createUser, async (context) => {
    const { request, caller } = context;
    const type = requireContentType(request, createTypes, acceptPost);
    const idempotencyKey = parseIdempotencyKey(request);
    if (type !== mediaTypes.json) return bulk.import(context, type, idempotencyKey);
    const { user, replayed } =
      idempotencyKey === undefined
        ? { user: await users.create(caller, await bodyReader.readJson(context)), replayed: false }
        : await users.createIdempotent(caller, idempotencyKey, async () =>
            toReceivedBody(await bodyReader.read(context)),
          );
    return jsonResponse(context, 201, user.json, {
      location: `/api/users/${user.id}`,
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
    const user = await users.replace(context.caller, id, body, parsePrecondition(context.request));
    return changedUserResponse(context, user);
  });

  router.serve(operations.updateUser, async (context) => {
    const id = userId(context);
    requireContentType(context.request, operations.updateUser.request.types, acceptPatch);
    const body = await bodyReader.readJson(context);
    const user = await users.update(context.caller, id, body, parsePrecondition(context.request));
    return changedUserResponse(context, user);
  });

  router.serve(operations.deleteUser, async (context) => {
    await users.remove(context.caller, userId(context), parsePrecondition(context.request));
    return emptyResponse(context, 204);
  });

  router.setOptionsHeaders(operations.createUser.path, acceptPost);
  router.setOptionsHeaders(operations.updateUser.path, acceptPatch);
}

/** The user after a change. Callers that must not read users get the ETag only: an empty PATCH would read any user. */
function changedUserResponse(context: RequestContext, user: StoredUser): Response {
  const headers = { etag: formatEtag(user) };
  return context.caller.scopes.includes("users:read")
    ? jsonResponse(context, 200, user.json, headers)
    : emptyResponse(context, 204, headers);
}

/** An export is not paged: throws `invalid-query` if the query string has a paging parameter. */
function rejectPaging(queryString: string): void {
  const parameters = new URLSearchParams(queryString);
  const errors = ["limit", "after", "offset", "count"]
    .filter((parameter) => parameters.has(parameter))
    .map((parameter) => ({ parameter, detail: "An export is not paged. Remove this parameter." }));
  if (errors.length > 0) throw invalidQuery(errors);
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

function listHeaders(queryString: string, query: ListQuery, { next, total }: Page): Record<string, string> {
  const headers: Record<string, string> = {};
  const { path } = operations.listUsers;
  const isFirstPage = !query.from && query.offset === 0;
  if (next || !isFirstPage) {
    const unpaged = isFirstPage ? queryString : queryString.replace(POSITION, "").replace(/^&/, "");
    const first = `<${path}${unpaged && `?${unpaged}`}>; rel="first"`;
    headers.link = next
      ? `<${path}?${unpaged && `${unpaged}&`}after=${encodeCursor(query, next)}>; rel="next", ${first}`
      : first;
  }
  if (total) {
    headers["x-total-count"] = String(total.count);
    if (total.capped) headers["x-total-count-capped"] = "true";
  }
  return headers;
}

/** The parameters that choose where a page begins. */
const POSITION = /(?:^|&)(?:after|offset)=[^&]*/g;
