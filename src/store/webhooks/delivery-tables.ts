import { splitType } from "../../domain/events/event.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryQuery,
  type DeliveryReport,
  type DeliveryResponse,
  type DeliveryResult,
  type DeliveryRetention,
  type DeliveryStore,
  deliveryStates,
  type HourlyAttempts,
  type Replay,
  type WebhookWork,
} from "../../domain/webhooks/delivery-store.ts";
import type { EngineOf } from "../sql/engine.ts";
import { joinSql, type Sql, type SqlValue, sql, toNumber, toText } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** A report whose deliveries are JSON: text is cheaper to send to a thread than objects. */
interface RenderedReport extends Omit<DeliveryReport, "deliveries"> {
  /** Arrays of values, with commas between them. */
  readonly deliveries: string;
  readonly responses: string;
}

function renderReport({ deliveries, ...report }: DeliveryReport): RenderedReport {
  const rows = deliveries.map((delivery) => JSON.stringify([report.webhookId, ...toValues(delivery)]));
  const responses = deliveries.flatMap((result) => renderResponse(report.webhookId, result));
  return { ...report, deliveries: rows.join(), responses: responses.join() };
}

function renderResponse(
  webhookId: number,
  { position, type, subjectId, response }: DeliveryResult,
): string[] {
  if (!response) return [];
  const { time, body, isCut } = response;
  const userId = splitType(type)[0] === "user" ? subjectId : null;
  return [JSON.stringify([webhookId, position, userId, time, body, isCut ? 1 : 0])];
}

/** Nothing is sent again to a webhook that is not active: its owner may activate it before the retry. */
function withoutWaiting(report: RenderedReport): RenderedReport {
  const rows: SqlValue[][] = JSON.parse(`[${report.deliveries}]`);
  const kept = rows.filter(([, , , , state]) => state !== "waiting").map((row) => JSON.stringify(row));
  return { ...report, deliveries: kept.join() };
}

const columns = "position, type, subject_id, state, attempts, failures, next_attempt_at";
/** Of the id of the webhook, `columns`, and the time of the last attempt. */
const columnTypes = ["bigint", "bigint", "text", "bigint", "text", "text", "bigint", "bigint", "bigint"];
const responseColumns = ["webhook_id", "position", "user_id", "attempted_at", "body", "is_cut"];
const responseTypes = ["bigint", "bigint", "bigint", "bigint", "text", "bigint"];
/** Counts of attempts that one transaction removes at most. */
const MAX_HOURS_PER_CLEANUP = 500;

/** Every statement on the tables of deliveries and leases, for any engine. Writes must run in a transaction. */
export class DeliveryTables {
  readonly #dialect: TableDialect;
  readonly #deliveries: string;
  readonly #work: string;
  readonly #responses: string;
  readonly #hours: string;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
    this.#deliveries = `${dialect.schema}webhook_deliveries`;
    this.#work = `${dialect.schema}webhook_work`;
    this.#responses = `${dialect.schema}webhook_responses`;
    this.#hours = `${dialect.schema}webhook_hours`;
  }

  *listWork(): SqlSteps<WebhookWork[]> {
    const { now } = this.#dialect;
    const rows = yield sql(
      `SELECT w.webhook_id, CASE WHEN w.leased_until > ${now} THEN w.node END, w.paused_until, w.replay_from, w.replay_to,
              w.replay_after, (SELECT min(d.next_attempt_at) FROM ${this.#deliveries} d
                               WHERE d.webhook_id = w.webhook_id AND d.state = 'waiting')
       FROM ${this.#work} w ORDER BY w.webhook_id`,
    );
    return rows.map(toWork);
  }

  *listOpen(webhookId: number, after: number): SqlSteps<Delivery[]> {
    const rows = yield sql(
      `SELECT ${columns} FROM ${this.#deliveries} WHERE webhook_id = ? AND state = 'waiting'
       UNION SELECT ${columns} FROM ${this.#deliveries} WHERE webhook_id = ? AND position > ? ORDER BY 1`,
      webhookId,
      webhookId,
      after,
    );
    return rows.map(toDelivery);
  }

  *list(
    webhookId: number,
    { before = Number.MAX_SAFE_INTEGER, state, limit }: DeliveryQuery,
  ): SqlSteps<Delivery[]> {
    const select = `SELECT ${columns} FROM ${this.#deliveries} WHERE webhook_id = ? AND position < ?`;
    const rows = yield joinSql(
      sql(select, webhookId, before),
      ...(state === undefined ? [] : [sql("AND state = ?", state)]),
      sql("ORDER BY position DESC LIMIT ?", limit),
    );
    return rows.map(toDelivery);
  }

  *read(webhookId: number, position: number): SqlSteps<Delivery | undefined> {
    const [row] = yield sql(
      `SELECT ${columns} FROM ${this.#deliveries} WHERE webhook_id = ? AND position = ?`,
      webhookId,
      position,
    );
    return row && toDelivery(row);
  }

  *readResponse(webhookId: number, position: number): SqlSteps<DeliveryResponse | undefined> {
    const [row] = yield sql(
      `SELECT attempted_at, body, is_cut FROM ${this.#responses} WHERE webhook_id = ? AND position = ?`,
      webhookId,
      position,
    );
    return row && { time: Number(row[0]), body: String(row[1]), isCut: Number(row[2]) === 1 };
  }

  *readAttempts(webhookId: number, fromHour: number): SqlSteps<HourlyAttempts[]> {
    const rows = yield sql(
      `SELECT hour, accepted, failed FROM ${this.#hours} WHERE webhook_id = ? AND hour >= ? ORDER BY hour`,
      webhookId,
      fromHour,
    );
    return rows.map(([hour, accepted, failed]) => ({
      hour: Number(hour),
      accepted: Number(accepted),
      failed: Number(failed),
    }));
  }

  *removeAttempts(beforeHour: number): SqlSteps<number> {
    const rows = yield sql(
      `DELETE FROM ${this.#hours} WHERE (webhook_id, hour) IN
       (SELECT webhook_id, hour FROM ${this.#hours} WHERE hour < ? ORDER BY hour LIMIT ${MAX_HOURS_PER_CLEANUP})
       RETURNING hour`,
      beforeHour,
    );
    return rows.length;
  }

  *countWaiting(): SqlSteps<number> {
    const [row] = yield sql(`SELECT count(*) FROM ${this.#deliveries} WHERE state = 'waiting'`);
    return Number(row?.[0]);
  }

  *lease(webhookIds: readonly number[], node: string, forMs: number): SqlSteps<number[]> {
    const { now, elements, schema } = this.#dialect;
    const rows = yield sql(
      `INSERT INTO ${this.#work} (webhook_id, node, leased_until, paused_until)
       SELECT id, CAST(? AS text), ${now} + CAST(? AS bigint), 0 FROM ${schema}webhooks
       WHERE id IN (SELECT CAST(value ->> 0 AS bigint) FROM ${elements}) ORDER BY id
       ON CONFLICT (webhook_id) DO UPDATE SET node = excluded.node, leased_until = excluded.leased_until
       WHERE webhook_work.leased_until <= ${now} OR webhook_work.node = excluded.node
       RETURNING webhook_id`,
      node,
      forMs,
      JSON.stringify(webhookIds.map((id) => [id])),
    );
    return rows.map(([id]) => Number(id));
  }

  *release(webhookIds: readonly number[], node: string): SqlSteps<void> {
    yield sql(
      `UPDATE ${this.#work} SET leased_until = 0
       WHERE node = ? AND webhook_id IN (SELECT CAST(value ->> 0 AS bigint) FROM ${this.#dialect.elements})`,
      node,
      JSON.stringify(webhookIds.map((id) => [id])),
    );
  }

  *record(rendered: readonly RenderedReport[], node: string, forMs: number): SqlSteps<number[]> {
    const { now, elements, schema, lockRows } = this.#dialect;
    const ids = JSON.stringify(rendered.map(({ webhookId }) => [webhookId]));
    const rows = yield sql(
      `SELECT w.webhook_id, h.active, h.position FROM ${this.#work} w JOIN ${schema}webhooks h ON h.id = w.webhook_id
       WHERE w.node = ? AND w.leased_until > ${now}
       AND w.webhook_id IN (SELECT CAST(value ->> 0 AS bigint) FROM ${elements}) ORDER BY w.webhook_id ${lockRows}`,
      node,
      ids,
    );
    const leased = new Map(rows.map(([id, ...webhook]) => [Number(id), webhook.map(Number)]));
    const reports = rendered.flatMap((report) => {
      const [active, position = Number.POSITIVE_INFINITY] = leased.get(report.webhookId) ?? [];
      // The owner has activated the webhook since, which starts it at a later event.
      if (position > report.knownPosition) return [];
      return active === 1 ? report : withoutWaiting(report);
    });
    if (reports.length === 0) return [];
    const [id, pausedUntil, position, failingSince] = [0, 1, 2, 3].map(
      (index) => `CAST(value ->> ${index} AS bigint)`,
    );
    const values = JSON.stringify(
      reports.map((report) => [report.webhookId, report.pausedUntil, report.position, report.failingSince]),
    );
    yield sql(
      `UPDATE ${this.#work} SET leased_until = ${now} + CAST(? AS bigint), paused_until = ${pausedUntil}
       FROM ${elements} WHERE webhook_id = ${id}`,
      forMs,
      values,
    );
    for (const { webhookId, replay } of reports) if (replay) yield* this.#moveReplay(webhookId, replay);
    const deliveries = reports.map((report) => report.deliveries).filter((text) => text !== "");
    if (deliveries.length > 0) yield* this.#insert(`[${deliveries.join()}]`);
    const responses = reports.map((report) => report.responses).filter((text) => text !== "");
    if (responses.length > 0) yield* this.#storeResponses(`[${responses.join()}]`);
    const attempts = reports.flatMap((report) =>
      report.attempts.map(({ hour, accepted, failed }) => [report.webhookId, hour, accepted, failed]),
    );
    if (attempts.length > 0) yield* this.#countAttempts(JSON.stringify(attempts));
    yield sql(
      `UPDATE ${schema}webhooks SET failing_since = ${failingSince},
       position = CASE WHEN position < ${position} THEN ${position} ELSE position END
       FROM ${elements} WHERE webhooks.id = ${id}`,
      values,
    );
    return reports.map(({ webhookId }) => webhookId);
  }

  /** `deliveries` is JSON: arrays of the values of all columns. */
  *#insert(deliveries: string): SqlSteps<void> {
    const insert = `INSERT INTO ${this.#deliveries} (webhook_id, ${columns}, attempted_at)`;
    const replace = `ON CONFLICT (webhook_id, position) DO UPDATE SET state = excluded.state, attempts = excluded.attempts,
       failures = excluded.failures, next_attempt_at = excluded.next_attempt_at, attempted_at = excluded.attempted_at`;
    if (this.#dialect.hasRoundTrips) {
      const values = columnTypes.map((type, index) => `CAST(value ->> ${index} AS ${type})`);
      const select = `SELECT ${values.join(", ")} FROM ${this.#dialect.elements} WHERE TRUE`;
      yield sql(`${insert} ${select} ${replace}`, deliveries);
      return;
    }
    const text = `${insert} VALUES (${columnTypes.map(() => "?").join(", ")}) ${replace}`;
    const rows: SqlValue[][] = JSON.parse(deliveries);
    for (const values of rows) yield { text, values };
  }

  /** `responses` is JSON: arrays of the values of all columns. If the user has been purged since the attempt, nothing is stored. */
  *#storeResponses(responses: string): SqlSteps<void> {
    const { schema, elements, locks } = this.#dialect;
    if (locks) yield sql(locks.storeResponses);
    const values = responseTypes.map((type, index) => `CAST(value ->> ${index} AS ${type})`);
    const [webhookId, position, userId] = values;
    yield sql(
      `INSERT INTO ${this.#responses} (${responseColumns.join(", ")}) SELECT ${values.join(", ")} FROM ${elements}
       WHERE EXISTS (SELECT 1 FROM ${this.#deliveries} d WHERE d.webhook_id = ${webhookId} AND d.position = ${position})
       AND (${userId} IS NULL OR EXISTS (SELECT 1 FROM ${schema}users u WHERE u.id = ${userId})
            OR EXISTS (SELECT 1 FROM ${schema}deleted_users u WHERE u.id = ${userId}))
       ON CONFLICT (webhook_id, position) DO UPDATE
       SET attempted_at = excluded.attempted_at, body = excluded.body, is_cut = excluded.is_cut`,
      responses,
    );
  }

  /** `attempts` is JSON: arrays of the values of all columns. */
  *#countAttempts(attempts: string): SqlSteps<void> {
    const values = [0, 1, 2, 3].map((index) => `CAST(value ->> ${index} AS bigint)`).join(", ");
    yield sql(
      `INSERT INTO ${this.#hours} (webhook_id, hour, accepted, failed) SELECT ${values} FROM ${this.#dialect.elements} WHERE TRUE
       ON CONFLICT (webhook_id, hour) DO UPDATE SET accepted = webhook_hours.accepted + excluded.accepted,
       failed = webhook_hours.failed + excluded.failed`,
      attempts,
    );
  }

  /** A replay that was requested in between stays. */
  *#moveReplay(webhookId: number, replay: NonNullable<DeliveryReport["replay"]>): SqlSteps<void> {
    const change = replay.finished
      ? sql("replay_from = NULL, replay_to = NULL, replay_after = NULL")
      : sql("replay_after = ?", replay.after);
    yield joinSql(`UPDATE ${this.#work} SET`, change, {
      text: "WHERE webhook_id = ? AND replay_from = ? AND replay_to = ?",
      values: [webhookId, replay.from, replay.to],
    });
  }

  *resend(webhookId: number, position: number, now: number): SqlSteps<Delivery | undefined> {
    // As when a node records: no delivery changes in between.
    const { lockRows } = this.#dialect;
    yield sql(`SELECT webhook_id FROM ${this.#work} WHERE webhook_id = ? ${lockRows}`, webhookId);
    const delivery = yield* this.read(webhookId, position);
    if (!delivery) return undefined;
    const [first] = yield sql(
      `SELECT min(position) FROM ${this.#deliveries} WHERE webhook_id = ? AND state = 'waiting' AND position < ?
       AND subject_id = ? AND type LIKE ?`,
      webhookId,
      position,
      delivery.subjectId,
      `${splitType(delivery.type)[0]}.%`,
    );
    const earlier = toNumber(first?.[0]);
    if (earlier !== null) yield this.#makeDue(webhookId, earlier, now);
    // The node knows that this one follows.
    if (earlier !== null && delivery.state === "waiting") return delivery;
    const [row] = yield this.#makeDue(webhookId, position, now);
    return row && toDelivery(row);
  }

  #makeDue(webhookId: number, position: number, now: number): Sql {
    return sql(
      `UPDATE ${this.#deliveries} SET state = 'waiting', failures = 0, next_attempt_at = ?
       WHERE webhook_id = ? AND position = ? RETURNING ${columns}`,
      now,
      webhookId,
      position,
    );
  }

  *replay(webhookId: number, { from, to }: Replay): SqlSteps<void> {
    yield sql(
      `INSERT INTO ${this.#work} (webhook_id, node, leased_until, paused_until, replay_from, replay_to)
       VALUES (?, '', 0, 0, ?, ?)
       ON CONFLICT (webhook_id) DO UPDATE
       SET replay_from = excluded.replay_from, replay_to = excluded.replay_to, replay_after = NULL`,
      webhookId,
      from,
      to,
    );
  }

  *removeOldest(webhookId: number, { since, max }: DeliveryRetention): SqlSteps<number> {
    const [newest] = yield sql(
      `SELECT position FROM ${this.#deliveries} WHERE webhook_id = ? ORDER BY position DESC LIMIT 1 OFFSET ?`,
      webhookId,
      max,
    );
    const rows = yield sql(
      `DELETE FROM ${this.#deliveries} WHERE webhook_id = ? AND state <> 'waiting' AND (position <= ? OR attempted_at < ?)
       RETURNING position`,
      webhookId,
      Number(newest?.[0] ?? 0),
      since,
    );
    if (rows.length > 0) {
      yield sql(
        `DELETE FROM ${this.#responses} WHERE webhook_id = ?
         AND position IN (SELECT CAST(value ->> 0 AS bigint) FROM ${this.#dialect.elements})`,
        webhookId,
        JSON.stringify(rows.map(([position]) => [Number(position)])),
      );
    }
    return rows.length;
  }
}

/** The store of deliveries, for any engine. */
export function deliveryStore({ read, readLong, write }: EngineOf<DeliveryTables>): DeliveryStore {
  return {
    listWork: (...args) => read("listWork", args),
    lease: (...args) => write("lease", args),
    release: (...args) => write("release", args),
    listOpen: (...args) => read("listOpen", args),
    record: (reports, ...args) => write("record", [reports.map(renderReport), ...args]),
    // With a state, all deliveries of the webhook may have to be examined.
    list: (...args) => (args[1].state === undefined ? read("list", args) : readLong("list", args)),
    read: (...args) => read("read", args),
    readResponse: (...args) => read("readResponse", args),
    readAttempts: (...args) => read("readAttempts", args),
    removeAttempts: (...args) => write("removeAttempts", args),
    resend: (...args) => write("resend", args),
    replay: (...args) => write("replay", args),
    removeOldest: (...args) => write("removeOldest", args),
    countWaiting: (...args) => read("countWaiting", args),
  };
}

/** Statements that remove everything about a webhook. The lease goes first, as when a node records. */
export function removeDeliveries(schema: string, webhookId: number): Sql[] {
  return ["webhook_work", "webhook_deliveries", "webhook_responses", "webhook_hours"].map((table) => ({
    text: `DELETE FROM ${schema}${table} WHERE webhook_id = ?`,
    values: [webhookId],
  }));
}

function toValues(delivery: Delivery): SqlValue[] {
  const { position, type, subjectId, state, attempts, failures, nextAttemptAt } = delivery;
  const text = JSON.stringify(attempts.map(toStoredAttempt));
  return [position, type, subjectId, state, text, failures, nextAttemptAt, attempts.at(-1)?.time ?? null];
}

function toDelivery(row: readonly unknown[]): Delivery {
  const [position, type, subjectId, state, attempts, failures, nextAttemptAt] = row;
  const stored: StoredAttempt[] = JSON.parse(String(attempts));
  return {
    position: Number(position),
    type: String(type),
    subjectId: Number(subjectId),
    state: deliveryStates.find((each) => each === state) ?? "failed",
    attempts: stored.map(fromStoredAttempt),
    failures: Number(failures),
    nextAttemptAt: toNumber(nextAttemptAt),
  };
}

type StoredAttempt = [
  time: number,
  code: number | null,
  durationMs: number,
  error: string | null,
  builtFrom?: number,
];

function toStoredAttempt({ time, code, durationMs, error, builtFrom }: DeliveryAttempt): StoredAttempt {
  return builtFrom === undefined
    ? [time, code, durationMs, error]
    : [time, code, durationMs, error, builtFrom];
}

function fromStoredAttempt([time, code, durationMs, error, builtFrom]: StoredAttempt): DeliveryAttempt {
  return { time, code, durationMs, error, ...(builtFrom !== undefined && { builtFrom }) };
}

function toWork(row: readonly unknown[]): WebhookWork {
  const [webhookId, node, pausedUntil, from, to, after, nextAttemptAt] = row;
  return {
    webhookId: Number(webhookId),
    nextAttemptAt: toNumber(nextAttemptAt),
    node: toText(node),
    pausedUntil: Number(pausedUntil),
    replay: from === null ? null : { from: Number(from), to: Number(to), after: toNumber(after) },
  };
}
