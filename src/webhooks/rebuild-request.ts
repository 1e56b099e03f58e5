import type { StoredEvent } from "../domain/events/event.ts";
import type { EventStore } from "../domain/events/event-store.ts";
import type { RebuildRequest } from "../domain/webhooks/deliveries.ts";
import type { StoredWebhook } from "../domain/webhooks/webhook-store.ts";
import { parseRequest, renderRequest } from "./request-text.ts";
import { checksumOf, findEvent, messageOf, type RequestParts, secretsOf } from "./send-event.ts";

/** Builds the request of the last attempt again, from its time and its event. */
export function createRequestBuilder(events: EventStore, findParts: () => RequestParts): RebuildRequest {
  return async (webhook, delivery) => {
    const attempt = delivery.attempts.at(-1);
    const url = URL.parse(webhook.url);
    const event = attempt && (await findEvent(events, delivery));
    if (!event || !url) return undefined;
    const { time, builtFrom } = attempt;
    const parts = findParts();
    const secrets = listSecrets(webhook, time).find(
      (each) => !isErased(event) && checksumOf(webhook, each, parts) === builtFrom,
    );
    const message = messageOf(webhook, event, { time, serviceUrl: parts.serviceUrl });
    const text = renderRequest(url, { ...message, secrets: secrets ?? [] }, parts.sender.userAgent);
    const { headers, body } = parseRequest(text);
    // Without the secrets of then, there is no signature of then.
    const { "webhook-signature": _, ...unsigned } = headers;
    return { url: url.href, headers: secrets ? headers : unsigned, body, isExact: secrets !== undefined };
  };
}

/** The secrets that may have signed an attempt at this time: the secret may have been rotated since. */
function listSecrets(webhook: StoredWebhook, time: number): readonly string[][] {
  const { secret, previousSecret } = webhook;
  return [secretsOf(webhook, time), [secret], ...(previousSecret === null ? [] : [[previousSecret]])];
}

/** Whether a purge has erased data of the event. The event of the purge itself never had any. */
function isErased({ type, json }: StoredEvent): boolean {
  return type !== "user.purged" && json.endsWith(',"record":null}');
}
