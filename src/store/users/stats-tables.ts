import type { EventType } from "../../contract/events/event.ts";
import type { EventDraft } from "../../domain/events/event.ts";
import type { DailyChanges, StatsStore } from "../../domain/users/stats.ts";
import type { EngineOf } from "../sql/engine.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** How many users a batch creates, deletes and restores. The events of the batch are its source. */
export class UserTally {
  created = 0;
  deleted = 0;
  restored = 0;

  static of(events: readonly EventDraft[]): UserTally {
    const tally = new UserTally();
    for (const { type } of events) tally.add(type);
    return tally;
  }

  add(type: EventType): void {
    if (type === "user.created") this.created++;
    else if (type === "user.deleted") this.deleted++;
    else if (type === "user.restored") this.restored++;
  }

  get isEmpty(): boolean {
    return this.created + this.deleted + this.restored === 0;
  }
}

/** The statements that read daily counts, for any engine. */
export class StatsTables {
  readonly #text: string;

  constructor({ schema, countRows }: TableDialect) {
    // One statement: the total and the changes belong together. The first row has the total.
    this.#text = `
      SELECT '', (${countRows("users")}), 0, 0
      UNION ALL
      SELECT day, sum(created), sum(deleted), sum(restored) FROM ${schema}daily_users WHERE day >= ? GROUP BY day`;
  }

  *readUsers(from: string): SqlSteps<{ total: number; changes: DailyChanges[] }> {
    const rows = yield { text: this.#text, values: [from] };
    let total = 0;
    const changes: DailyChanges[] = [];
    for (const [day, created, deleted, restored] of rows) {
      if (day === "") total = Number(created);
      else {
        changes.push({
          date: String(day),
          created: Number(created),
          deleted: Number(deleted),
          restored: Number(restored),
        });
      }
    }
    return { total, changes };
  }
}

/** The store of daily counts, for any engine. */
export function statsStore({ read }: EngineOf<StatsTables>): StatsStore {
  return { readUsers: (...args) => read("readUsers", args) };
}
