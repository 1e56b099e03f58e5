import { createHash } from "node:crypto";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { encodeCursor, type ListQuery, type Page } from "../domain/listing.ts";
import { Refusal } from "../domain/refusal.ts";
import { andThen } from "../domain/soon.ts";
import type { Received, Users } from "../domain/users.ts";
import type { Bulk } from "./bulk/bulk.ts";
import { etagOf, hasSeen, idempotencyKeyOf, preconditionOf } from "./conditions.ts";
import { type Exchange, emptyAnswer, jsonAnswer } from "./exchange.ts";
import { parseId, parseListQuery } from "./list-query.ts";
import { type Bodies, parseJson, requireType } from "./read-body.ts";
import type { Routes } from "./routes.ts";

const { request: create } = operations.createUser;
const createTypes: readonly string[] = [...create.types, ...create.forms.map(({ type }) => type)];
const acceptPost = { "accept-post": createTypes.join(", ") };
const acceptPatch = { "accept-patch": operations.updateUser.request.types.join(", ") };

/** The five operations of the page that began all this, and PATCH. */
export function serveUsers(routes: Routes, users: Users, bodies: Bodies, bulk: Bulk): void {
  routes.serve(operations.listUsers, (exchange) => {
    const search = searchOf(exchange.request.url);
    const query = parseListQuery(search);
    const { form = mediaTypes.json } = exchange;
    if (form !== mediaTypes.json) return bulk.export(exchange, exportQuery(search, query), form);
    return andThen(users.list(query), (page) =>
      jsonAnswer(exchange, 200, page.body, listHeaders(search, query, page)),
    );
  });

  routes.serve(operations.createUser, async (exchange) => {
    const { request, caller } = exchange;
    const type = requireType(request, createTypes, acceptPost);
    const key = idempotencyKeyOf(request);
    if (type !== mediaTypes.json) return bulk.import(exchange, type, key);
    const { user, replayed } =
      key === undefined
        ? { user: await users.create(caller, await bodies.readJson(exchange)), replayed: false }
        : await users.createOnce(caller, key, async () => toReceived(await bodies.read(exchange)));
    return jsonAnswer(exchange, 201, user.json, {
      location: `/api/users/${user.id}`,
      etag: etagOf(user),
      ...(replayed && { "idempotency-replayed": "true" }),
    });
  });

  routes.serve(operations.readUser, (exchange) =>
    andThen(users.read(idOf(exchange)), (user) => {
      const etag = etagOf(user);
      return hasSeen(exchange.request.headers.get("if-none-match"), etag)
        ? emptyAnswer(exchange, 304, { etag })
        : jsonAnswer(exchange, 200, user.json, { etag });
    }),
  );

  routes.serve(operations.replaceUser, async (exchange) => {
    const id = idOf(exchange);
    requireType(exchange.request, operations.replaceUser.request.types, {});
    const body = await bodies.readJson(exchange);
    const user = await users.replace(exchange.caller, id, body, preconditionOf(exchange.request));
    return jsonAnswer(exchange, 200, user.json, { etag: etagOf(user) });
  });

  routes.serve(operations.updateUser, async (exchange) => {
    const id = idOf(exchange);
    requireType(exchange.request, operations.updateUser.request.types, acceptPatch);
    const body = await bodies.readJson(exchange);
    const user = await users.update(exchange.caller, id, body, preconditionOf(exchange.request));
    return jsonAnswer(exchange, 200, user.json, { etag: etagOf(user) });
  });

  routes.serve(operations.deleteUser, async (exchange) => {
    await users.remove(exchange.caller, idOf(exchange), preconditionOf(exchange.request));
    return emptyAnswer(exchange, 204);
  });

  routes.advise(operations.createUser.path, acceptPost);
  routes.advise(operations.updateUser.path, acceptPatch);
}

/** An export has no pages: what would choose one is a mistake. */
function exportQuery(search: string, query: ListQuery): ListQuery {
  const parameters = new URLSearchParams(search);
  const faults = ["limit", "after", "offset", "count"]
    .filter((parameter) => parameters.has(parameter))
    .map((parameter) => ({ parameter, detail: "An export has no pages: leave it out." }));
  if (faults.length > 0) {
    throw new Refusal(
      "invalid-query",
      faults.map(({ parameter, detail }) => `${parameter}: ${detail}`).join(" "),
      faults,
    );
  }
  return query;
}

/** A body that turns out not to be JSON was received all the same: its refusal is an outcome to keep. */
function toReceived(bytes: Uint8Array): Received {
  const fingerprint = createHash("sha256").update(bytes).digest("base64url");
  try {
    return { fingerprint, body: parseJson(bytes) };
  } catch (error) {
    if (error instanceof Refusal) return { fingerprint, refusal: error };
    throw error;
  }
}

function idOf({ parameter }: Exchange): number {
  const id = parseId(parameter);
  if (id === undefined) {
    throw new Refusal("user-not-found", "This is no id: ids are positive whole numbers in plain decimal.");
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
