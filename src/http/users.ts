import { createHash } from "node:crypto";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { encodeCursor, type ListQuery, type Page } from "../domain/listing.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { ReceivedBody, Users } from "../domain/users.ts";
import { type BodyReader, parseJson, requireContentType } from "./body-reader.ts";
import type { Bulk } from "./bulk/bulk.ts";
import { parseId, parseListQuery } from "./list-query.ts";
import { formatEtag, matchesEtag, parseIdempotencyKey, parseIfMatch } from "./preconditions.ts";
import type { RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const { request: create } = operations.createUser;
const createTypes: readonly string[] = [...create.types, ...create.alternatives.map(({ type }) => type)];
const acceptPost = { "accept-post": createTypes.join(", ") };
const acceptPatch = { "accept-patch": operations.updateUser.request.types.join(", ") };

/** The five operations of the page that began all this, and PATCH. */
export function serveUsers(router: Router, users: Users, bodyReader: BodyReader, bulk: Bulk): void {
  router.serve(operations.listUsers, (context) => {
    const search = searchOf(context.request.url);
    const query = parseListQuery(search);
    const { responseType: form = mediaTypes.json } = context;
    if (form !== mediaTypes.json) return bulk.export(context, exportQuery(search, query), form);
    return andThen(users.list(query), (page) =>
      jsonResponse(context, 200, page.body, listHeaders(search, query, page)),
    );
  });

  router.serve(operations.createUser, async (context) => {
    const { request, caller } = context;
    const type = requireContentType(request, createTypes, acceptPost);
    const key = parseIdempotencyKey(request);
    if (type !== mediaTypes.json) return bulk.import(context, type, key);
    const { user, replayed } =
      key === undefined
        ? { user: await users.create(caller, await bodyReader.readJson(context)), replayed: false }
        : await users.createIdempotent(caller, key, async () => toReceived(await bodyReader.read(context)));
    return jsonResponse(context, 201, user.json, {
      location: `/api/users/${user.id}`,
      etag: formatEtag(user),
      ...(replayed && { "idempotency-replayed": "true" }),
    });
  });

  router.serve(operations.readUser, (context) =>
    andThen(users.read(idOf(context)), (user) => {
      const etag = formatEtag(user);
      return matchesEtag(context.request.headers.get("if-none-match"), etag)
        ? emptyResponse(context, 304, { etag })
        : jsonResponse(context, 200, user.json, { etag });
    }),
  );

  router.serve(operations.replaceUser, async (context) => {
    const id = idOf(context);
    requireContentType(context.request, operations.replaceUser.request.types, {});
    const body = await bodyReader.readJson(context);
    const user = await users.replace(context.caller, id, body, parseIfMatch(context.request));
    return jsonResponse(context, 200, user.json, { etag: formatEtag(user) });
  });

  router.serve(operations.updateUser, async (context) => {
    const id = idOf(context);
    requireContentType(context.request, operations.updateUser.request.types, acceptPatch);
    const body = await bodyReader.readJson(context);
    const user = await users.update(context.caller, id, body, parseIfMatch(context.request));
    return jsonResponse(context, 200, user.json, { etag: formatEtag(user) });
  });

  router.serve(operations.deleteUser, async (context) => {
    await users.remove(context.caller, idOf(context), parseIfMatch(context.request));
    return emptyResponse(context, 204);
  });

  router.advise(operations.createUser.path, acceptPost);
  router.advise(operations.updateUser.path, acceptPatch);
}

/** An export has no pages: what would choose one is a mistake. */
function exportQuery(search: string, query: ListQuery): ListQuery {
  const parameters = new URLSearchParams(search);
  const faults = ["limit", "after", "offset", "count"]
    .filter((parameter) => parameters.has(parameter))
    .map((parameter) => ({ parameter, detail: "An export has no pages: leave it out." }));
  if (faults.length > 0) {
    throw new ProblemError(
      "invalid-query",
      faults.map(({ parameter, detail }) => `${parameter}: ${detail}`).join(" "),
      faults,
    );
  }
  return query;
}

/** A body that turns out not to be JSON was received all the same: its problem is an outcome to keep. */
function toReceived(bytes: Uint8Array): ReceivedBody {
  const fingerprint = createHash("sha256").update(bytes).digest("base64url");
  try {
    return { fingerprint, body: parseJson(bytes) };
  } catch (error) {
    if (error instanceof ProblemError) return { fingerprint, problem: error };
    throw error;
  }
}

function idOf({ parameter }: RequestContext): number {
  const id = parseId(parameter);
  if (id === undefined) {
    throw new ProblemError(
      "user-not-found",
      "This is no id: ids are positive whole numbers in plain decimal.",
    );
  }
  return id;
}

function searchOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

function listHeaders(search: string, query: ListQuery, { next, total }: Page): Record<string, string> {
  const headers: Record<string, string> = {};
  if (next || query.from || query.offset > 0) {
    const same = query.from || query.offset > 0 ? search.replace(PLACE, "").replace(/^&/, "") : search;
    const first = `<${operations.listUsers.path}${same && `?${same}`}>; rel="first"`;
    headers.link = next
      ? `<${operations.listUsers.path}?${same && `${same}&`}after=${encodeCursor(query, next)}>; rel="next", ${first}`
      : first;
  }
  if (total) {
    headers["x-total-count"] = String(total.count);
    if (total.capped) headers["x-total-count-capped"] = "true";
  }
  return headers;
}

/** The parameters that say where a page begins. */
const PLACE = /(?:^|&)(?:after|offset)=[^&]*/g;
