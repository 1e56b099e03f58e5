import type { DeliveryStore } from "../domain/webhooks/delivery-store.ts";
import type { WebhookStore } from "../domain/webhooks/webhook-store.ts";
import type { DeliveryTurns } from "./delivery-turns.ts";
import type { EventMatchers } from "./event-matcher.ts";
import type { FeedParts, FeedReader } from "./feed-reader.ts";
import type { ReportWriter } from "./report-writer.ts";
import type { EventSender } from "./sender.ts";

/** What happened to a delivery: retried means that the attempt failed, and another one follows. */
type DeliveryOutcome = "delivered" | "retried" | "failed";

/** What deliveries need from the rest of the service. */
export interface DeliveryParts extends FeedParts {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly sender: EventSender;
  /** Where receivers reach the service, for the URLs of large records. */
  readonly serviceUrl: string;
  /** Counts attempts, for the metrics. */
  observe(outcome: DeliveryOutcome): void;
  /** Writes to the log. */
  report(level: "info" | "warn", message: string, fields: Readonly<Record<string, string>>): void;
  /** Requests that the service has answered so far. */
  requests(): number;
  /** Only tests replace it. */
  readonly random: () => number;
}

/** What the workers of a node share. */
export interface WorkerParts extends DeliveryParts {
  readonly reader: FeedReader;
  readonly matchers: EventMatchers;
  readonly turns: DeliveryTurns;
  readonly reports: ReportWriter;
}
