import type { DailyChanges, StatsStore } from "../../domain/users/stats.ts";
import type { EngineOf } from "../sql/engine.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** The statements that read daily counts, for any engine. */
export class StatsTables {
  readonly #text: string;

  constructor({ schema, countUsers }: TableDialect) {
    // One statement: the total and the changes belong together. The first row has the total.
    this.#text = `
      SELECT '', (${countUsers}), 0, 0
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
