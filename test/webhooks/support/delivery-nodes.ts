import { parseDatabase } from "../../../src/config/database-url.ts";
import { anonymousOrigin } from "../../../src/domain/caller.ts";
import { EventFeed } from "../../../src/domain/events/event-feed.ts";
import type { EventQuery, EventStore } from "../../../src/domain/events/event-store.ts";
import type { Store } from "../../../src/domain/store.ts";
import { defaultRecordRules } from "../../../src/domain/users/record-rules.ts";
import type { RebuildRequest } from "../../../src/domain/webhooks/deliveries.ts";
import type { Delivery, DeliveryStore } from "../../../src/domain/webhooks/delivery-store.ts";
import type { StoredWebhook, WebhookDraft } from "../../../src/domain/webhooks/webhook-store.ts";
import { createSecret } from "../../../src/domain/webhooks/webhooks.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { DeliveryLoop } from "../../../src/webhooks/delivery-loop.ts";
import { createRequestBuilder } from "../../../src/webhooks/rebuild-request.ts";
import { Sender } from "../../../src/webhooks/sender.ts";
import { databaseOn, type Engine } from "../../support/engines.ts";
import { pooler } from "../../support/postgres/fresh-database.ts";
import { TestClock } from "../../support/test-clock.ts";

/** A node with only the parts that deliver. */
export interface DeliveryNode {
  readonly store: Store;
  readonly log: string[];
  readonly outcomes: string[];
  /** What the node reads from the feed, in which order. */
  readonly reads: EventQuery[];
  /** How many webhooks each transaction records. */
  readonly records: number[];
  readonly clock: TestClock;
  lagSeconds(): number;
  /** The last request of a delivery, from what is stored. */
  rebuild(webhook: StoredWebhook, delivery: Delivery): ReturnType<RebuildRequest>;
  createWebhook(draft: Partial<WebhookDraft> & { url: string }): Promise<StoredWebhook>;
  /** Creates users, and returns their ids. */
  createUsers(count: number): Promise<number[]>;
  update(id: number, fields: Record<string, string>): Promise<void>;
  deliveries(webhook: StoredWebhook): Promise<readonly Delivery[]>;
  stop(): Promise<void>;
}

export async function startNode(engine: Engine, timeoutMs = 15_000): Promise<DeliveryNode> {
  const database = await databaseOn(engine);
  const clock = new TestClock();
  const options = {
    ...{ batch: 512, queue: 1000, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 6, dedicatedSessions: pooler === "none", migrate: true },
  };
  const store = await openStore(parseDatabase(database.url), options, { committed: () => undefined });
  const reads: EventQuery[] = [];
  const records: number[] = [];
  const { events, deliveries } = countWork(store, reads, records);
  const feed = new EventFeed(events, clock);
  const monitor = { failed: (error: unknown) => log.push(String(error)), readSucceeded: () => undefined };
  const log: string[] = [];
  const outcomes: string[] = [];
  await feed.start(monitor);
  // The receivers of tests have private addresses.
  const keepsResponseOf = () => true;
  const sender = new Sender({ allowPrivate: true, userAgent: "Roster/test", timeoutMs, keepsResponseOf });
  const serviceUrl = "https://roster.example";
  const loop = new DeliveryLoop({
    webhooks: store.webhooks,
    deliveries,
    events,
    feed,
    sender,
    monitor,
    serviceUrl,
    observe: (outcome) => outcomes.push(outcome),
    report: (_, message, fields) => log.push(`${message} ${JSON.stringify(fields)}`),
    requests: () => 0,
    clock,
    random: () => 0,
  });
  loop.start();
  return {
    store,
    log,
    outcomes,
    reads,
    records,
    clock,
    lagSeconds: () => loop.lagSeconds,
    async rebuild(webhook, delivery) {
      const stored = await store.webhooks.read(webhook.id);
      const build = createRequestBuilder(store.events, () => ({ sender, serviceUrl }));
      return stored && build(stored, delivery);
    },
    createWebhook: (draft) =>
      store.webhooks.create(
        {
          types: ["user.*"],
          description: "",
          filter: null,
          active: true,
          secret: createSecret(),
          ...draft,
        },
        anonymousOrigin,
      ),
    async createUsers(count) {
      const created = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          store.users.create({ record: { name: `User ${index}` } }),
        ),
      );
      return created.map(({ outcome }) => ("user" in outcome ? outcome.user.id : 0));
    },
    async update(id, fields) {
      await store.users.edit(id, { merge: fields });
    },
    async deliveries({ id }) {
      return store.deliveries.list(id, { limit: 1000 });
    },
    async stop() {
      await loop.stop(1000);
      await feed.stop();
      await store.close();
      await database.drop();
    },
  };
}

/** The stores, which note what they read from the feed and what they record. */
function countWork(
  { events, deliveries }: Store,
  reads: EventQuery[],
  records: number[],
): { readonly events: EventStore; readonly deliveries: DeliveryStore } {
  return {
    events: {
      read(query) {
        reads.push(query);
        return events.read(query);
      },
      readLines: (query) => events.readLines(query),
      publish: () => events.publish(),
      last: () => events.last(),
      bytes: () => events.bytes(),
      countBytes: () => events.countBytes(),
      removeOldest: (retention) => events.removeOldest(retention),
    },
    deliveries: {
      listWork: () => deliveries.listWork(),
      lease: (ids, node, forMs) => deliveries.lease(ids, node, forMs),
      release: (ids, node) => deliveries.release(ids, node),
      listOpen: (id, after) => deliveries.listOpen(id, after),
      record(reports, node, forMs) {
        records.push(reports.length);
        return deliveries.record(reports, node, forMs);
      },
      list: (id, query) => deliveries.list(id, query),
      read: (id, position) => deliveries.read(id, position),
      readResponse: (id, position) => deliveries.readResponse(id, position),
      readAttempts: (id, fromHour) => deliveries.readAttempts(id, fromHour),
      removeAttempts: (beforeHour) => deliveries.removeAttempts(beforeHour),
      resend: (id, position, now) => deliveries.resend(id, position, now),
      replay: (id, replay) => deliveries.replay(id, replay),
      removeOldest: (id, retention) => deliveries.removeOldest(id, retention),
      countWaiting: () => deliveries.countWaiting(),
    },
  };
}
