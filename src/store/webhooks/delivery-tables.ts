import {
  type Delivery,
  type DeliveryReport,
  type DeliveryRetention,
  type DeliveryStore,
  deliveryStates,
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
}

function renderReport({ deliveries, ...report }: DeliveryReport): RenderedReport {
  const rows = deliveries.map((delivery) => JSON.stringify([report.webhookId, ...toValues(delivery)]));
  return { ...report, deliveries: rows.join() };
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

/** Every statement on the tables of deliveries and leases, for any engine. Writes must run in a transaction. */
export class DeliveryTables {
  readonly #dialect: TableDialect;
  readonly #deliveries: string;
  readonly #work: string;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
    this.#deliveries = `${dialect.schema}webhook_deliveries`;
    this.#work = `${dialect.schema}webhook_work`;
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

  *list(webhookId: number, before: number | undefined, limit: number): SqlSteps<Delivery[]> {
    const rows = yield sql(
      `SELECT ${columns} FROM ${this.#deliveries} WHERE webhook_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
      webhookId,
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
    );
    return rows.map(toDelivery);
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
    const [row] = yield sql(
      `UPDATE ${this.#deliveries} SET state = 'waiting', failures = 0, next_attempt_at = ?
       WHERE webhook_id = ? AND position = ? RETURNING ${columns}`,
      now,
      webhookId,
      position,
    );
    return row && toDelivery(row);
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
       RETURNING 1`,
      webhookId,
      Number(newest?.[0] ?? 0),
      since,
    );
    return rows.length;
  }
}

/** The store of deliveries, for any engine. */
export function deliveryStore({ read, write }: EngineOf<DeliveryTables>): DeliveryStore {
  return {
    listWork: (...args) => read("listWork", args),
    lease: (...args) => write("lease", args),
    release: (...args) => write("release", args),
    listOpen: (...args) => read("listOpen", args),
    record: (reports, ...args) => write("record", [reports.map(renderReport), ...args]),
    list: (...args) => read("list", args),
    resend: (...args) => write("resend", args),
    replay: (...args) => write("replay", args),
    removeOldest: (...args) => write("removeOldest", args),
    countWaiting: (...args) => read("countWaiting", args),
  };
}

/** Statements that remove everything about a webhook. The lease goes first, as when a node records. */
export function removeDeliveries(schema: string, webhookId: number): Sql[] {
  return ["webhook_work", "webhook_deliveries"].map((table) => ({
    text: `DELETE FROM ${schema}${table} WHERE webhook_id = ?`,
    values: [webhookId],
  }));
}

function toValues(delivery: Delivery): SqlValue[] {
  const { position, type, subjectId, state, attempts, failures, nextAttemptAt } = delivery;
  const text = JSON.stringify(
    attempts.map(({ time, code, durationMs, error }) => [time, code, durationMs, error]),
  );
  return [position, type, subjectId, state, text, failures, nextAttemptAt, attempts.at(-1)?.time ?? null];
}

function toDelivery(row: readonly unknown[]): Delivery {
  const [position, type, subjectId, state, attempts, failures, nextAttemptAt] = row;
  const stored: [number, number | null, number, string | null][] = JSON.parse(String(attempts));
  return {
    position: Number(position),
    type: String(type),
    subjectId: Number(subjectId),
    state: deliveryStates.find((each) => each === state) ?? "failed",
    attempts: stored.map(([time, code, durationMs, error]) => ({ time, code, durationMs, error })),
    failures: Number(failures),
    nextAttemptAt: toNumber(nextAttemptAt),
  };
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
