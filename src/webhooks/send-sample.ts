import type { SendSample } from "../domain/webhooks/deliveries.ts";
import { webhookRecord } from "../domain/webhooks/webhook-record.ts";
import { secretsOf } from "./send-event.ts";
import type { EventSender } from "./sender.ts";

/** Sends a message like that of an event, which is not in the feed. */
export function createSampleSender(sender: EventSender): SendSample {
  return (webhook) => {
    const now = Date.now();
    const time = new Date(now).toISOString();
    const id = `test-${crypto.randomUUID()}`;
    const type = "webhook.test";
    const data = {
      id,
      type,
      time,
      subject: { type: "webhook", id: webhook.id },
      record: webhookRecord(webhook),
    };
    const body = JSON.stringify({ type, timestamp: time, data });
    return sender.send({ url: webhook.url, id, time: now, body, secrets: secretsOf(webhook, now) });
  };
}
