import type { Config } from "./config/config.ts";
import { version } from "./config/version.ts";
import {
  Cleanup,
  countEventBytes,
  FAST,
  GENTLE,
  limitEventBytes,
  purgeOldUsers,
  removeLeftMemberships,
  removeOldAttempts,
  removeOldEvents,
  removeOldUsage,
} from "./domain/cleanup.ts";
import type { Clock } from "./domain/clock.ts";
import { EventFeed } from "./domain/events/event-feed.ts";
import { KeyRing } from "./domain/keys/key-ring.ts";
import type { Store } from "./domain/store.ts";
import type { RecordRules } from "./domain/users/record-rules.ts";
import { type App, type AppParts, createApp } from "./http/app.ts";
import type { Log } from "./telemetry/log.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import type { OutageLog } from "./telemetry/outage-log.ts";
import type { Tracer } from "./telemetry/traces/tracer.ts";
import { DeliveryLoop } from "./webhooks/delivery-loop.ts";
import { createRequestBuilder } from "./webhooks/rebuild-request.ts";
import { createSampleSender } from "./webhooks/send-sample.ts";
import type { EventSender } from "./webhooks/sender.ts";

/** What the socket tells the app about its requests, and does for it. */
type Socket = Pick<
  AppParts,
  "stopPhase" | "pendingRequests" | "peerAddress" | "setIdleTimeout" | "closeConnection"
>;

interface NodeParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly store: Store;
  readonly recordRules: RecordRules;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly outages: OutageLog;
  readonly tracer: Tracer | undefined;
  readonly sender: EventSender;
  readonly socket: Socket;
  readonly onFirstKey: (ring: KeyRing) => void;
}

/** A service without its socket and its store. Several nodes can share a database. */
export interface ServiceNode {
  readonly app: App;
  readonly ring: KeyRing;
  readonly feed: EventFeed;
  /** Begins to deliver events. `url` is where receivers reach the service. */
  startDeliveries(url: string): void;
  /** Lets running attempts finish for this long. */
  stopDeliveries(graceMs: number): Promise<void>;
  /** Stops what runs in the background, except for the feed and the deliveries. Fails if the usage of keys cannot be saved. */
  stopUpkeep(): Promise<void>;
}

/** Looks once at the users that were there before Roster defined some of their fields. */
async function settleUsers(store: Store, log: Log): Promise<void> {
  const moved = await store.users.settle(() => {
    log.write("info", "checking the fields userName, groups and scim of all users, once after the upgrade");
  });
  if (moved === 0) return;
  log.write("info", "moved values that users cannot have any more to other fields, see docs/operations.md", {
    users: moved,
  });
}

/** Starts everything that a service does on an open store. Fails if the database cannot be read. */
export async function startNode(parts: NodeParts): Promise<ServiceNode> {
  const { config, clock, store, recordRules, metrics, log, outages, tracer, sender, socket } = parts;
  await settleUsers(store, log);
  const ring = new KeyRing(store.keys, clock, config.rateLimit, config.apiKey);
  await ring.refresh();
  ring.start(outages, () => parts.onFirstKey(ring));
  const { eventsDays, eventsMax, eventsBytes } = config;
  const cleanups = [
    new Cleanup(
      [
        countEventBytes(store.events),
        removeOldEvents(store.events, { days: eventsDays, max: eventsMax || undefined }),
        purgeOldUsers(store.deletedUsers, config.deletedDays),
        removeOldUsage(store.keys),
        removeOldAttempts(store.deliveries),
      ],
      clock,
    ),
    new Cleanup([removeLeftMemberships(store.groups)], clock, GENTLE),
    ...(eventsBytes > 0 ? [new Cleanup([limitEventBytes(store.events, eventsBytes)], clock, FAST)] : []),
  ];
  for (const cleanup of cleanups) cleanup.start(outages);
  const feed = new EventFeed(store.events, clock);
  await feed.start(outages);
  let serviceUrl = config.publicUrl;
  const app = createApp({
    config,
    clock,
    store,
    recordRules,
    ring,
    feed,
    metrics,
    sendSample: createSampleSender(sender),
    rebuildRequest: createRequestBuilder(store.events, () => ({ sender, serviceUrl })),
    log,
    tracer,
    version,
    outages,
    ...socket,
  });
  let deliveries: DeliveryLoop | undefined;
  metrics.webhooks.watchLag(() => deliveries?.lagSeconds ?? 0);
  return {
    app,
    ring,
    feed,
    startDeliveries(url) {
      serviceUrl ||= url;
      deliveries = new DeliveryLoop({
        webhooks: store.webhooks,
        deliveries: store.deliveries,
        events: store.events,
        feed,
        sender,
        monitor: outages,
        serviceUrl,
        observe: (outcome) => metrics.webhooks.count(outcome),
        report: (level, message, fields) => log.write(level, message, fields),
        requests: () => metrics.requests,
        clock,
        random: Math.random,
      });
      deliveries.start();
    },
    async stopDeliveries(graceMs) {
      await deliveries?.stop(graceMs);
    },
    async stopUpkeep() {
      await Promise.all(cleanups.map((cleanup) => cleanup.stop()));
      await ring.stop();
    },
  };
}
