import type { EventDraft } from "../../domain/events/event.ts";
import type { Sql } from "./sql.ts";
import type { SqlSteps } from "./sql-steps.ts";

/** SQL that differs between engines, for every table. Lists have a dialect of their own. */
export interface TableDialect {
  /** The prefix of table names. */
  readonly schema: string;
  /** The table with one row, which is about the database. */
  readonly state: string;
  /** The clock of the database, in milliseconds since 1970. */
  readonly now: string;
  /** FROM item: the elements of a JSON array, as rows with a `value`. */
  readonly elements: string;
  /** The end of a SELECT that locks the rows, in their order; empty if the engine has one writer. */
  readonly lockRows: string;
  /** Whether each statement waits for a server. If not, a statement for each row takes less time than one for all. */
  readonly hasRoundTrips: boolean;
  /** Query for the number of all rows, which the database keeps. */
  countRows(table: "users" | "groups"): string;
  /** Statement that returns a new id, for resources whose ids the database counts apart. */
  nextId(resource: "webhook"): string;
  /** Query for the last id that a resource was given; 0 if there is none. */
  lastId(resource: "user"): string;
  /** Statement that appends an event. */
  appendEvent(event: EventDraft, now: number): Sql;
  /** How appended events become part of the feed; undefined if they are at once. */
  readonly publishing: Publishing | undefined;
  /** Statements that wait for transactions of other nodes; undefined if the engine has one writer. */
  readonly locks: TableLocks | undefined;
  /** Counts the bytes of some events that were there before bytes were counted, as in `EventStore`; undefined if there are none. */
  readonly countEventBytes: (() => SqlSteps<number>) | undefined;
}

/** Statements that give positions to appended events. */
interface Publishing {
  /**
   * Whether there are events after a key, the last position and the last key that were given, and whether the server takes no writes:
   * "on".
   */
  readonly find: string;
  /** Publishes events after a key, up to a number of them. Returns how many. */
  readonly some: string;
  /** Like `some`, but publishes nothing if another transaction publishes. */
  readonly trySome: string;
  readonly most: number;
  /** Publishes all committed events, and those of the transaction. */
  readonly all: string;
}

interface TableLocks {
  /** Keeps keys and webhooks from changing. */
  readonly keysAndWebhooks: string;
  /** Keeps the schema and `collecting` from changing, and waits for the writes that collect. */
  readonly schema: string;
  /** Like `schema`, and also waits for all other writes, before a change. Writes that have not ended are checked again. */
  readonly schemaChange: string;
  /** Keeps users from being purged: their purge removes the responses that are stored before. */
  readonly storeResponses: string;
  /** Returns whether this transaction may remove events: another node may be removing some. */
  readonly tryRemoveEvents: string;
}
