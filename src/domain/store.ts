import type { ImportOptions } from "../contract/bulk/bulk.ts";
import type { CustomField, FieldValue } from "../contract/users/field-schemas.ts";
import type { UserRecord } from "../contract/users/user.ts";
import type { Origin } from "./caller.ts";
import type { EventStore } from "./events/event-store.ts";
import type { Expression } from "./filter/expression.ts";
import type { KeyStore } from "./keys/key-store.ts";
import type { ListQuery, Page } from "./lists/listing.ts";
import type { ValueRow } from "./lists/value-index.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Precondition } from "./precondition.ts";
import type { ProblemData } from "./problem-error.ts";
import type { SchemaStore } from "./schema/schema-store.ts";
import type { DeletedUserStore } from "./users/deleted-user-store.ts";
import type { StatsStore } from "./users/stats.ts";
import type { Edit, StoredUser } from "./users/user.ts";
import type { DeliveryStore } from "./webhooks/delivery-store.ts";
import type { WebhookStore } from "./webhooks/webhook-store.ts";

/** Identifies a create or a chunk of an import, so that a repeated request has no further effect. */
export interface IdempotencyKey {
  readonly caller: string;
  readonly key: string;
  /** A digest of the request body. The same key with another fingerprint is a mistake. */
  readonly fingerprint: string;
}

/** The outcome of a create: of this request, or the stored outcome of an earlier one. */
export interface CreateOutcome {
  readonly outcome: { readonly user: StoredUser } | { readonly problem: ProblemData };
  readonly replayed: boolean;
}

/** A user to create, or a problem to store as the outcome of its idempotency key. */
export type Attempt = { readonly record: UserRecord } | { readonly problem: ProblemData };

/** One line of an import: JSON text, or the problem with the line. */
export type ImportLine = { readonly json: string } | { readonly problem: ProblemData };

/** The outcome of one line. A dry run creates no user, so its outcome has no id. */
export type ImportedUser =
  | { readonly created: boolean; readonly id: number | undefined }
  | { readonly problem: ProblemData };

/** The outcome of a chunk: of this request, or the stored outcome of an earlier one. */
export interface ImportOutcome {
  readonly users: readonly ImportedUser[];
  readonly replayed: boolean;
}

/** What a bulk change does with each user: a merge patch (RFC 7396), or remove, remove and purge, or restore the user. */
export type BulkChange =
  | Pick<Extract<Edit, { merge: unknown }>, "merge">
  | "remove"
  | "remove-and-purge"
  | "restore";

/** The condition of a bulk change. A user that does not meet it when the change is made is skipped. */
export interface ChangeCondition {
  readonly expression: Expression;
  /** The version of each user that was found. A user with this version meets the condition. */
  readonly versions: readonly number[];
}

/** The result of a bulk change for one user. Without a problem, the change was made, unless the user was skipped. */
export interface ChangedUser {
  readonly id: number;
  readonly problem?: ProblemData;
  readonly skipped?: true;
}

/** The outcome of a bulk change: of this request, or the stored outcome of an earlier one. */
export interface ChangesOutcome {
  readonly users: readonly ChangedUser[];
  readonly replayed: boolean;
}

/** Receives the chunks of an import. */
export interface ImportTarget {
  /**
   * Applies the lines in one transaction. Each succeeds or fails on its own, as in `create`. `options` say which users the
   * lines match, and what happens to these users. With an idempotency key, all results together are stored as one outcome.
   */
  import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    options?: ImportOptions,
  ): Promise<ImportOutcome>;
}

/** Finds out what an import would do. Remembers earlier chunks until it is disposed. */
export interface ImportDryRun extends ImportTarget, Disposable {}

export interface StoreStats {
  readonly users: number;
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
 * Storage for users. Every engine passes the same tests (test/store/support/store-contract.ts).
 *
 * A write is durable when its promise resolves: it survives a crash of the process and of the machine. Each write
 * succeeds or fails on its own, even if several are committed together. Any method fails with `unavailable` if the
 * database does not respond in time. A write that fails so may have been committed.
 */
export interface Store extends ImportTarget {
  /** API keys and sessions. */
  readonly keys: KeyStore;
  /** The changes of users, keys and webhooks. */
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly deletedUsers: DeletedUserStore;
  /** Daily counts of users. */
  readonly statistics: StatsStore;
  /** The schema for custom fields. */
  readonly schema: SchemaStore;

  read(id: number): MaybePromise<StoredUser | undefined>;

  /**
   * Does a limited amount of work: a page can be short and still have a next page. `findOwner` says whose list it is: owners take
   * turns with lists that have to wait.
   */
  list(query: ListQuery, findOwner?: () => string): MaybePromise<Page>;

  /** The custom fields that users have, in the order of their names. */
  listFields(owner?: string): Promise<CustomField[]>;

  /** The first values of a custom field; with a prefix, only texts that start with it. */
  listFieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]>;

  /**
   * Assigns the next id. A unique index decides whether the email is in use; the outcome is then the problem
   * `email-taken`.
   * With an idempotency key, the outcome is stored for 24 hours in the same transaction. A repeated request gets the
   * stored outcome, or fails with `idempotency-mismatch` if its fingerprint differs.
   */
  create(attempt: Attempt, idempotencyKey?: IdempotencyKey, by?: Origin): Promise<CreateOutcome>;

  /**
   * Changes many users in one transaction. Each succeeds or fails on its own, as in `edit`, `remove` and `restore`. With an
   * idempotency key, all results together are stored as one outcome. A repeated request gets the stored outcome even if it has
   * other ids.
   */
  changeMany(
    ids: readonly number[],
    change: BulkChange,
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    condition?: ChangeCondition,
  ): Promise<ChangesOutcome>;

  /** The outcomes that an import would have now. Nothing is written, and idempotency keys are ignored. */
  startDryRun(): ImportDryRun;

  /** The size of each of these users, in bytes of JSON. Users that do not exist are left out. */
  measureUsers(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** The users with one of these ids, folded emails or values of unique fields, in any order. */
  findUsers(
    ids: readonly number[],
    emailKeys: readonly string[],
    values?: readonly Pick<ValueRow, "field" | "value">[],
  ): Promise<StoredUser[]>;

  /**
   * Applies the edit to the current user. An edit that changes nothing keeps `version` and `updatedAt`.
   * If it fails, with `user-not-found`, `version-mismatch`, `precondition-failed`, `email-taken` or `invalid-user`,
   * nothing changes.
   */
  edit(id: number, edit: Edit, precondition?: Precondition, by?: Origin): Promise<StoredUser>;

  /**
   * Fails with `user-not-found`, `version-mismatch` or `precondition-failed`. The id is never reused. The user can be restored,
   * unless `purge` erases it too.
   */
  remove(id: number, precondition?: Precondition, by?: Origin, purge?: boolean): Promise<void>;

  /** Fails with `unavailable` if the database cannot be read, is known to be damaged, or does not accept writes. */
  ping(): Promise<void>;
  stats(): Promise<StoreStats>;
  /** Never fails. */
  gauges(): Promise<StoreGauges>;

  /** Finishes pending writes and closes the database. */
  close(): Promise<void>;
}
