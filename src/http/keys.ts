import { operations } from "../contract/operations.ts";
import type { Keys } from "../domain/keys/keys.ts";
import { andThen } from "../domain/maybe-promise.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { type BodyReader, requireContentType } from "./body-reader.ts";
import { readDays } from "./days-query.ts";
import { listById } from "./query/id-pages.ts";
import { readPathId } from "./query/ids.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const acceptPost = { "accept-post": operations.createKey.request.types.join(", ") };

/** Registers the handlers of API keys. */
export function serveKeys(router: Router, keys: Keys, bodyReader: BodyReader, publicUrl: PublicUrl): void {
  router.serve(operations.listKeys, (context) =>
    listById(context, publicUrl, operations.listKeys, (after, limit) => keys.list(after, limit)),
  );

  router.serve(operations.createKey, async (context) => {
    requireContentType(context.request, operations.createKey.request.types, acceptPost);
    const key = await keys.create(
      { ...originOf(context), scopes: context.caller.scopes },
      await bodyReader.readJson(context, "invalid-key"),
    );
    return jsonResponse(context, 201, JSON.stringify(key), {
      location: `${publicUrl.findBase(context)}/api/keys/${key.id}`,
      // The response holds the secret.
      "cache-control": "no-store",
    });
  });

  router.serve(operations.readKey, (context) =>
    andThen(keys.read(readPathId(context, "key-not-found")), (key) =>
      jsonResponse(context, 200, JSON.stringify(key)),
    ),
  );

  router.serve(operations.readKeyUsage, (context) => {
    const days = readDays(context);
    return andThen(keys.readUsage(readPathId(context, "key-not-found"), days), (usage) =>
      jsonResponse(context, 200, JSON.stringify(usage)),
    );
  });

  router.serve(operations.revokeKey, async (context) => {
    await keys.revoke(originOf(context), readPathId(context, "key-not-found"));
    return emptyResponse(context, 204);
  });

  router.setOptionsHeaders(operations.createKey.path, acceptPost);
}
