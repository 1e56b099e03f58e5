import { listLimits } from "../contract/listing.ts";
import { operations } from "../contract/operations.ts";
import type { Fault } from "../contract/problems.ts";
import type { Keys } from "../domain/keys.ts";
import { Refusal } from "../domain/refusal.ts";
import { andThen } from "../domain/soon.ts";
import { type Exchange, emptyAnswer, jsonAnswer } from "./exchange.ts";
import { parseId } from "./list-query.ts";
import { type Bodies, requireType } from "./read-body.ts";
import type { Routes } from "./routes.ts";

const acceptPost = { "accept-post": operations.createKey.request.types.join(", ") };

/** Keys, for those who manage them. */
export function serveKeys(routes: Routes, keys: Keys, bodies: Bodies): void {
  routes.serve(operations.listKeys, (exchange) => {
    const { after, limit } = parsePlace(new URL(exchange.request.url).searchParams);
    // One more than is answered tells whether there is a next page.
    return andThen(keys.list(after, limit + 1), (found) => {
      const page = found.slice(0, limit);
      const next = `${operations.listKeys.path}?limit=${limit}&after=${page.at(-1)?.id}`;
      const headers = found.length > limit ? { link: `<${next}>; rel="next"` } : undefined;
      return jsonAnswer(exchange, 200, JSON.stringify(page), headers);
    });
  });

  routes.serve(operations.createKey, async (exchange) => {
    requireType(exchange.request, operations.createKey.request.types, acceptPost);
    const key = await keys.create(exchange.caller, await bodies.readJson(exchange));
    exchange.notable = true;
    return jsonAnswer(exchange, 201, JSON.stringify(key), {
      location: `/api/keys/${key.id}`,
      // Nothing between here and the caller is to keep it.
      "cache-control": "no-store",
    });
  });

  routes.serve(operations.readKey, (exchange) =>
    andThen(keys.read(idOf(exchange)), (key) => jsonAnswer(exchange, 200, JSON.stringify(key))),
  );

  routes.serve(operations.revokeKey, async (exchange) => {
    await keys.revoke(exchange.caller, idOf(exchange));
    exchange.notable = true;
    return emptyAnswer(exchange, 204);
  });

  routes.advise(operations.createKey.path, acceptPost);
}

function parsePlace(parameters: URLSearchParams): { after: number; limit: number } {
  const faults: Fault[] = [];
  const { maximum, default: standard } = listLimits.pageSize;
  for (const name of new Set(parameters.keys())) {
    if (name !== "limit" && name !== "after")
      faults.push({ parameter: name, detail: "Keys take limit and after." });
    else if (parameters.getAll(name).length > 1) faults.push({ parameter: name, detail: "Give it once." });
  }
  const limit = parameters.has("limit") ? parseId(parameters.get("limit") ?? "") : standard;
  if (limit === undefined || limit > maximum) {
    faults.push({ parameter: "limit", detail: `It takes 1 to ${maximum}.` });
  }
  const after = parameters.has("after") ? parseId(parameters.get("after") ?? "") : 0;
  if (after === undefined) {
    faults.push({
      parameter: "after",
      detail: "It is part of the next address of the Link header: take that whole.",
    });
  }
  if (faults.length > 0 || limit === undefined || after === undefined) {
    const detail = faults.map(({ parameter, detail }) => `${parameter}: ${detail}`).join(" ");
    throw new Refusal("invalid-query", detail, faults);
  }
  return { after, limit };
}

function idOf({ parameter }: Exchange): number {
  const id = parseId(parameter);
  if (id === undefined) {
    throw new Refusal("key-not-found", "This is no id: ids are positive whole numbers in plain decimal.");
  }
  return id;
}
