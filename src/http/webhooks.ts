import { isObject } from "../contract/json.ts";
import { operations } from "../contract/operations.ts";
import { andThen } from "../domain/maybe-promise.ts";
import type { Webhooks } from "../domain/webhooks/webhooks.ts";
import { requireForMember } from "./access/require-scope.ts";
import { type Links, readPage } from "./links.ts";
import { formatEtag } from "./query/headers.ts";
import { originOf } from "./request-context.ts";
import { emptyResponse, jsonResponse, versionedResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of webhooks. */
export function serveWebhooks(router: Router, webhooks: Webhooks, links: Links): void {
  const { listWebhooks, createWebhook, readWebhook, updateWebhook, deleteWebhook, rotateWebhookSecret } =
    operations;

  router.serve(listWebhooks, (context, { limit, after = "0" }) => {
    const found = readPage(limit, (count) => webhooks.list(Number(after), count));
    return andThen(found, (page) => links.respondWithPage(context, listWebhooks, page));
  });

  router.serve(createWebhook, async (context, { body }) => {
    const webhook = await webhooks.create(originOf(context), body);
    return jsonResponse(context, 201, JSON.stringify(webhook), {
      location: links.locate(context, `/api/webhooks/${webhook.id}`),
      etag: formatEtag(webhook),
    });
  });

  router.serve(readWebhook, (context, { id, precondition }) =>
    andThen(webhooks.read(id, precondition), (webhook) =>
      versionedResponse(context, JSON.stringify(webhook), webhook),
    ),
  );

  router.serve(updateWebhook, async (context, { id, body, precondition }) => {
    if (isObject(body) && Object.hasOwn(body, "url")) requireForMember(context, updateWebhook, "url");
    const webhook = await webhooks.update(originOf(context), id, body, precondition);
    return versionedResponse(context, JSON.stringify(webhook), webhook);
  });

  router.serve(deleteWebhook, async (context, { id, precondition }) => {
    await webhooks.remove(originOf(context), id, precondition);
    return emptyResponse(context, 204);
  });

  router.serve(rotateWebhookSecret, async (context, { id, precondition }) => {
    const webhook = await webhooks.rotate(originOf(context), id, precondition);
    return versionedResponse(context, JSON.stringify(webhook), webhook);
  });
}
