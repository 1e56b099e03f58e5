import type { Clock } from "../domain/clock.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import type { EventStore } from "../domain/events/event-store.ts";
import type { DatabaseMonitor } from "../domain/keys/key-ring.ts";
import type { DeliveryStore } from "../domain/webhooks/delivery-store.ts";
import type { WebhookStore } from "../domain/webhooks/webhook-store.ts";
import type { DeliveryTurns } from "./delivery-turns.ts";
import type { EventMatchers } from "./event-matcher.ts";
import type { ReportWriter } from "./report-writer.ts";
import type { Sender } from "./sender.ts";

/** What happened to a delivery: retried means that the attempt failed, and another one follows. */
type DeliveryOutcome = "delivered" | "retried" | "failed";

/** What deliveries need from the rest of the service. */
export interface DeliveryParts {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly events: EventStore;
  readonly feed: EventFeed;
  readonly sender: Sender;
  readonly monitor: DatabaseMonitor;
  /** Where receivers reach the service, for the URLs of large records. */
  readonly serviceUrl: string;
  /** Counts attempts, for the metrics. */
  observe(outcome: DeliveryOutcome): void;
  /** Writes to the log. */
  report(level: "info" | "warn", message: string, fields: Readonly<Record<string, string>>): void;
  /** Requests that the service has answered so far. */
  requests(): number;
  readonly clock: Clock;
  /** Only tests replace it. */
  readonly random: () => number;
}

/** What the workers of a node share. */
export interface WorkerParts extends DeliveryParts {
  readonly matchers: EventMatchers;
  readonly turns: DeliveryTurns;
  readonly reports: ReportWriter;
  /** How many attempts one webhook may run at the same time, by the number of webhooks that this node delivers to. */
  share(): number;
  /** A webhook has room for events again. */
  onRoom(): void;
}
