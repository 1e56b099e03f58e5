import type { EventStore } from "./events/event-store.ts";
import type { GroupStore } from "./groups/group-store.ts";
import type { KeyStore } from "./keys/key-store.ts";
import type { SchemaStore } from "./schema/schema-store.ts";
import type { DeletedUserStore } from "./users/deleted-user-store.ts";
import type { StatsStore } from "./users/stats.ts";
import type { UserStore } from "./users/user-store.ts";
import type { DeliveryStore } from "./webhooks/delivery-store.ts";
import type { WebhookStore } from "./webhooks/webhook-store.ts";

export interface StoreStats {
  readonly users: number;
  readonly groups: number;
  readonly bytes: number;
  /** About how many of these bytes are events. */
  readonly eventBytes: number;
  /** When the last successful backup was taken, in milliseconds since 1970; null if there is none. */
  readonly lastBackupAt: number | null;
}

/** The state of the database for the metrics. Values that an engine does not have are undefined. */
export interface StoreGauges {
  /** Whether reads and writes work. */
  readonly up: boolean;
  /** Undefined if the database cannot be read. */
  readonly stats: StoreStats | undefined;
  /** Number of writes that wait for their commit. */
  readonly queuedWrites: number;
  /** PostgreSQL: number of connections that run a statement. */
  readonly poolInUse?: number;
  /** SQLite: free space on the disk of the file. */
  readonly diskFreeBytes?: number;
  /** SQLite: size of the log beside the file. */
  readonly walBytes?: number;
}

/** Receives measurements of group commits, for the metrics, and what happens to the database, for the log. */
export interface StoreObserver {
  committed(writes: number, seconds: number): void;
  /** The database failed or works again. Called once per change. */
  report?(level: "info" | "error", message: string, fields: Readonly<Record<string, string>>): void;
}

/**
 * A database, by resource. Every engine passes the same tests (test/store/support/store-contract.ts).
 *
 * A write is durable when its promise resolves: it survives a crash of the process and of the machine. Each write
 * succeeds or fails on its own, even if several are committed together. Any method fails with `unavailable` if the
 * database does not respond in time. A write that fails so may have been committed.
 */
export interface Store {
  readonly users: UserStore;
  readonly groups: GroupStore;
  readonly deletedUsers: DeletedUserStore;
  /** Daily counts of users. */
  readonly statistics: StatsStore;
  /** API keys and sessions. */
  readonly keys: KeyStore;
  /** The changes of users, groups, keys and webhooks. */
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  /** The schema for custom fields. */
  readonly schema: SchemaStore;

  /** Fails with `unavailable` if the database cannot be read, is known to be damaged, or does not accept writes. */
  ping(): Promise<void>;
  stats(): Promise<StoreStats>;
  /** Never fails. */
  gauges(): Promise<StoreGauges>;

  /** Finishes pending writes and closes the database. */
  close(): Promise<void>;
}
