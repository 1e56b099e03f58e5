import { statSync } from "node:fs";
import type { EventRetention } from "../../domain/events/event-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { StoredWebhook } from "../../domain/webhooks/webhook-store.ts";
import type { EventRange } from "../events/event-tables.ts";
import { sqliteEvents } from "../events/sqlite-events.ts";
import type { KeyWrite, KeyWriteOutcome } from "../keys/key-tables.ts";
import type { SchemaWrite, SchemaWriteOutcome } from "../schema/schema-tables.ts";
import type { DeliveryWrite, DeliveryWriteOutcome } from "../webhooks/delivery-tables.ts";
import { sqliteDeliveries } from "../webhooks/sqlite-deliveries.ts";
import type { WebhookWrite } from "../webhooks/webhook-tables.ts";
import type { Write, WriteOutcome } from "../writes/apply-write.ts";
import { Refusals } from "../writes/write-batch.ts";
import { checkpoint, connect } from "./database.ts";
import { sqliteKeys } from "./key-tables.ts";
import { sqliteSchema } from "./schema-tables.ts";
import { serveRequests, type ThreadSetup } from "./thread.ts";
import { sqliteWebhooks } from "./webhook-tables.ts";
import { Writer } from "./writer.ts";

/**
 * Page cache: 1/32 of the file, between 2 and 64 MiB. Each write touches a page of every index, and the pages are
 * further apart in a larger file.
 */
const cacheKiB = (bytes: number) => Math.round(Math.min(Math.max(bytes / 32, 2 ** 21), 2 ** 26) / 1024);
/** The file grows: its cache is resized after this many batches. */
const BATCHES_PER_RESIZE = 256;

export interface WriterSetup extends ThreadSetup {
  readonly recordRules: RecordRules;
}

/** Users: a batch of writes. Keys, webhooks, deliveries and the schema: one change, in its own transaction. Remove-events: a few of the oldest events. Erase-events: the data of some events. Probe: a write that changes nothing. */
export type WriterRequest =
  | {
      readonly kind: "users";
      readonly writes: readonly Write[];
      /** The memory of the batch's `Refusals`. */
      readonly states: Int32Array<SharedArrayBuffer>;
    }
  | { readonly kind: "keys"; readonly write: KeyWrite }
  | { readonly kind: "webhooks"; readonly write: WebhookWrite }
  | { readonly kind: "deliveries"; readonly write: DeliveryWrite }
  | { readonly kind: "schema"; readonly write: SchemaWrite }
  | { readonly kind: "remove-events"; readonly retention: EventRetention }
  | { readonly kind: "erase-events"; readonly range: EventRange }
  | { readonly kind: "probe" };
export type WriterResponse =
  | { readonly kind: "users"; readonly outcomes: (WriteOutcome | null)[] }
  | { readonly kind: "keys"; readonly outcome: KeyWriteOutcome }
  | { readonly kind: "webhooks"; readonly webhook: StoredWebhook | undefined }
  | { readonly kind: "deliveries"; readonly outcome: DeliveryWriteOutcome }
  | { readonly kind: "schema"; readonly outcome: SchemaWriteOutcome }
  | { readonly kind: "remove-events"; readonly removed: number }
  | { readonly kind: "erase-events" }
  | { readonly kind: "probe" };

/** The writer thread: commits, and waits for the disk. */
serveRequests<WriterSetup, WriterRequest, WriterResponse>(({ path, waitMs, recordRules }) => {
  const db = connect(path, waitMs);
  const writer = new Writer(db, recordRules);
  let batches = 0;
  return {
    respond(request) {
      if (batches++ % BATCHES_PER_RESIZE === 0) {
        db.run(`PRAGMA cache_size = ${-cacheKiB(statSync(path).size)}`);
      }
      switch (request.kind) {
        case "users":
          return { kind: "users", outcomes: writer.apply(request.writes, new Refusals(request.states)) };
        case "keys":
          return { kind: "keys", outcome: writer.run(sqliteKeys.write(request.write)) };
        case "webhooks":
          return { kind: "webhooks", webhook: writer.run(sqliteWebhooks.write(request.write)) };
        case "deliveries":
          return { kind: "deliveries", outcome: writer.run(sqliteDeliveries.write(request.write)) };
        case "schema":
          return { kind: "schema", outcome: writer.run(sqliteSchema.write(request.write)) };
        case "remove-events":
          return { kind: "remove-events", removed: writer.run(sqliteEvents.removeOldest(request.retention)) };
        case "erase-events":
          writer.run(sqliteEvents.erase(request.range));
          return { kind: "erase-events" };
        case "probe":
          writer.probe();
          return { kind: "probe" };
      }
    },
    close() {
      checkpoint(db, waitMs);
      db.close();
    },
  };
});
