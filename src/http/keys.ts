import { operations } from "../contract/operations.ts";
import type { Keys } from "../domain/keys/keys.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { type Links, readPage } from "./links.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of API keys. */
export function serveKeys(router: Router, keys: Keys, links: Links): void {
  const { listKeys, createKey, readKey, readKeyUsage, revokeKey } = operations;

  router.serve(listKeys, (context, { limit, after = "0" }) => {
    const found = readPage(limit, (count) => keys.list(Number(after), count));
    return andThen(found, (page) => links.respondWithPage(context, listKeys, page));
  });

  router.serve(createKey, async (context, { body }) => {
    const key = await keys.create({ ...originOf(context), scopes: context.caller.scopes }, body);
    return jsonResponse(context, 201, JSON.stringify(key), {
      location: links.locate(context, `/api/keys/${key.id}`),
    });
  });

  router.serve(readKey, (context, { id }) =>
    andThen(keys.read(id), (key) => jsonResponse(context, 200, JSON.stringify(key))),
  );

  router.serve(readKeyUsage, (context, { id, days }) =>
    andThen(keys.readUsage(id, days), (usage) => jsonResponse(context, 200, JSON.stringify(usage))),
  );

  router.serve(revokeKey, async (context, { id }) => {
    await keys.revoke(originOf(context), id);
    return emptyResponse(context, 204);
  });
}
