import { sql } from "../sql/sql.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { TableDialect } from "../sql/table-dialect.ts";

/** Statements on the table of groups that are the same on any engine. */
export class GroupTables {
  readonly #dialect: TableDialect;

  constructor(dialect: TableDialect) {
    this.#dialect = dialect;
  }

  *count(): SqlSteps<number> {
    const [row] = yield sql(this.#dialect.countRows("groups"));
    return Number(row?.[0]);
  }
}
