import { operations } from "../contract/operations.ts";
import type { Keys } from "../domain/keys/keys.ts";
import { type Links, readPage } from "./links.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of API keys. */
export function serveKeys(router: Router, keys: Keys, links: Links): void {
  const { listKeys, createKey, readKey, readKeyUsage, revokeKey } = operations;

  router.serve(listKeys, async (context, { limit, after = "0" }) => {
    const page = await readPage(limit, (count) => keys.list(Number(after), count));
    return links.respondWithPage(context, listKeys, page);
  });

  router.serve(createKey, async (context, { body }) => {
    const key = await keys.create({ ...originOf(context), scopes: context.caller.scopes }, body);
    return jsonResponse(context, 201, JSON.stringify(key), {
      location: links.locate(context, `/api/keys/${key.id}`),
    });
  });

  router.serve(readKey, async (context, { id }) =>
    jsonResponse(context, 200, JSON.stringify(await keys.read(id))),
  );

  router.serve(readKeyUsage, async (context, { id, days }) =>
    jsonResponse(context, 200, JSON.stringify(await keys.readUsage(id, days))),
  );

  router.serve(revokeKey, async (context, { id }) => {
    await keys.revoke(originOf(context), id);
    return emptyResponse(context, 204);
  });
}
