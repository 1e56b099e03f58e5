import { operations } from "../contract/operations.ts";
import { isObject } from "../domain/check-user.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { checkPrecondition } from "../domain/precondition.ts";
import type { Webhooks } from "../domain/webhooks/webhooks.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { requireForMember } from "./access/require-scope.ts";
import { type BodyReader, requireContentType } from "./body-reader.ts";
import { listById } from "./query/id-pages.ts";
import { readPathId } from "./query/ids.ts";
import { formatEtag, parseIfMatch, parsePrecondition } from "./query/preconditions.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const acceptPost = { "accept-post": operations.createWebhook.request.types.join(", ") };
const acceptPatch = { "accept-patch": operations.updateWebhook.request.types.join(", ") };

/** Registers the handlers of webhooks. */
export function serveWebhooks(
  router: Router,
  webhooks: Webhooks,
  bodyReader: BodyReader,
  publicUrl: PublicUrl,
): void {
  router.serve(operations.listWebhooks, (context) =>
    listById(context, publicUrl, operations.listWebhooks, (after, limit) => webhooks.list(after, limit)),
  );

  router.serve(operations.createWebhook, async (context) => {
    requireContentType(context.request, operations.createWebhook.request.types, acceptPost);
    const body = await bodyReader.readJson(context, "invalid-webhook");
    const webhook = await webhooks.create(originOf(context), body);
    return jsonResponse(context, 201, JSON.stringify(webhook), {
      location: `${publicUrl.findBase(context)}${operations.createWebhook.path}/${webhook.id}`,
      etag: formatEtag(webhook),
    });
  });

  router.serve(operations.readWebhook, (context) =>
    andThen(webhooks.read(webhookId(context)), (webhook) => {
      const precondition = parseIfMatch(context.request);
      if (precondition) checkPrecondition(precondition, webhook, "webhook");
      return jsonResponse(context, 200, JSON.stringify(webhook), { etag: formatEtag(webhook) });
    }),
  );

  router.serve(operations.updateWebhook, async (context) => {
    const id = webhookId(context);
    requireContentType(context.request, operations.updateWebhook.request.types, acceptPatch);
    const body = await bodyReader.readJson(context, "invalid-webhook");
    if (isObject(body) && Object.hasOwn(body, "url"))
      requireForMember(context, operations.updateWebhook, "url");
    const webhook = await webhooks.update(originOf(context), id, body, parsePrecondition(context.request));
    return jsonResponse(context, 200, JSON.stringify(webhook), { etag: formatEtag(webhook) });
  });

  router.serve(operations.deleteWebhook, async (context) => {
    await webhooks.remove(originOf(context), webhookId(context), parsePrecondition(context.request));
    return emptyResponse(context, 204);
  });

  router.serve(operations.rotateWebhookSecret, async (context) => {
    const id = webhookId(context);
    const webhook = await webhooks.rotate(originOf(context), id, parsePrecondition(context.request));
    return jsonResponse(context, 200, JSON.stringify(webhook), { etag: formatEtag(webhook) });
  });

  router.setOptionsHeaders(operations.createWebhook.path, acceptPost);
  router.setOptionsHeaders(operations.updateWebhook.path, acceptPatch);
}

function webhookId(context: RequestContext): number {
  return readPathId(context, "webhook-not-found");
}
