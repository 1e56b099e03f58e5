import { type Clock, systemClock } from "../domain/clock.ts";
import type { SchemaStore } from "../domain/schema/schema-store.ts";
import type { Store } from "../domain/store.ts";
import type { RecordRules } from "../domain/users/record-rules.ts";
import { EventTables, eventStore, type Publisher } from "./events/event-tables.ts";
import { groupStore, type ReadGroup } from "./groups/group-store.ts";
import { GroupTables } from "./groups/group-tables.ts";
import { GroupWrites } from "./groups/group-writes.ts";
import { KeyTables, keyStore } from "./keys/key-tables.ts";
import type { OfEachList } from "./list-resources.ts";
import type { ListReads } from "./lists/list-reads.ts";
import { SchemaTables, schemaStore } from "./schema/schema-tables.ts";
import type { EnginesOf, SignaturesByTable } from "./sql/engine.ts";
import type { TableDialect } from "./sql/table-dialect.ts";
import { DeletedUserTables, deletedUserStore } from "./users/deleted-user-tables.ts";
import { StatsTables, statsStore } from "./users/stats-tables.ts";
import { type UserReads, userStore } from "./users/user-store.ts";
import { UserTables } from "./users/user-tables.ts";
import { UserWrites } from "./users/user-writes.ts";
import { DeliveryTables, deliveryStore } from "./webhooks/delivery-tables.ts";
import { WebhookTables, webhookStore } from "./webhooks/webhook-tables.ts";
import type { WriteQueue } from "./writes/write-queue.ts";

/** The tables of every resource, in the SQL of an engine. */
export function openTables(dialect: TableDialect) {
  return {
    users: new UserTables(dialect),
    groups: new GroupTables(dialect),
    deletedUsers: new DeletedUserTables(dialect),
    statistics: new StatsTables(dialect),
    keys: new KeyTables(dialect),
    events: new EventTables(dialect),
    webhooks: new WebhookTables(dialect),
    deliveries: new DeliveryTables(dialect),
    schema: new SchemaTables(dialect),
  };
}

type Tables = ReturnType<typeof openTables>;
export type AllTables = SignaturesByTable<Tables>;

/** How an engine runs the methods of each table. */
export type Engines = EnginesOf<AllTables>;

/** What differs between engines beside their SQL. */
interface EngineParts {
  readonly engine: Engines;
  readonly reads: UserReads;
  readonly readGroup: ReadGroup;
  readonly lists: OfEachList<ListReads>;
  readonly queue: WriteQueue;
  readonly checkUsers: SchemaStore["checkUsers"];
  /** Undefined if events are part of the feed as soon as they are committed. */
  readonly publisher?: Publisher;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
}

/** The stores of every resource, for any engine. */
export function openStores(
  { engine, reads, readGroup, lists, queue, checkUsers, publisher, clock = systemClock }: EngineParts,
  recordRules: RecordRules,
): Pick<Store, keyof Tables> {
  const schema = schemaStore(engine("schema"), checkUsers);
  const writes = new UserWrites(queue);
  return {
    users: userStore({
      reads,
      lists: lists.users,
      writes,
      tables: engine("users"),
      groups: engine("groups"),
      schema,
      recordRules,
      clock,
    }),
    groups: groupStore({
      read: readGroup,
      lists: lists.groups,
      writes: new GroupWrites(queue),
      tables: engine("groups"),
      recordRules,
      clock,
    }),
    deletedUsers: deletedUserStore(engine("deletedUsers"), engine("events"), writes),
    statistics: statsStore(engine("statistics")),
    keys: keyStore(engine("keys")),
    events: eventStore(engine("events"), publisher),
    webhooks: webhookStore(engine("webhooks")),
    deliveries: deliveryStore(engine("deliveries")),
    schema,
  };
}
