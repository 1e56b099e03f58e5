import type { Database, Statement } from "bun:sqlite";
import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { CountedFieldValue, CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import { type FoundPage, formatFoundPage, type ListQuery, type Page } from "../../domain/lists/listing.ts";
import { DEFAULT_MAX_CANDIDATES, type Dialect } from "../lists/dialect.ts";
import { countFieldValues, findFields, findFieldValues } from "../lists/field-values.ts";
import type { CountRound } from "../lists/list-reads.ts";
import type { ListResource } from "../lists/list-resource.ts";
import { PageFinder, requirePage, type TOO_MUCH } from "../lists/plans/page-finder.ts";
import type { WorkLimit } from "../lists/plans/row-finder.ts";
import { runSteps, type SqlSteps } from "../sql/sql-steps.ts";
import { sqliteDialect } from "./dialect.ts";
import { StatementCache } from "./statement-cache.ts";

/**
 * Reads the lists of one resource on one connection. Each page and each round of a count comes from one snapshot. No snapshot
 * outlives its call: a read sees every write that any process committed before the call.
 */
export class ListReader {
  readonly #db: Database;
  readonly #resource: ListResource;
  readonly #dialect: Dialect;
  readonly #statements: StatementCache;
  readonly #finder: PageFinder;
  readonly #begin: Statement;
  readonly #commit: Statement;

  constructor(db: Database, resource: ListResource, maxCandidates = DEFAULT_MAX_CANDIDATES) {
    this.#db = db;
    this.#resource = resource;
    this.#dialect = sqliteDialect(maxCandidates);
    this.#finder = new PageFinder(this.#dialect, resource);
    this.#statements = new StatementCache(db);
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  page(query: ListQuery): Page {
    return formatFoundPage(requirePage(this.find(query)), query, this.#resource.rowFields);
  }

  find(query: ListQuery, limit?: WorkLimit): FoundPage | typeof TOO_MUCH {
    // One statement has a snapshot of its own.
    const found = this.#run(this.#finder.findAtOnce(query, limit));
    return found ?? this.#runInSnapshot(this.#finder.find(query, limit));
  }

  explain(query: ListQuery): ListExplanation {
    return this.#runInSnapshot(this.#finder.explain(query));
  }

  countRound(query: ListQuery, after: number | undefined): CountRound {
    return this.#runInSnapshot(this.#finder.countRound(query, after));
  }

  customFields(): CustomField[] {
    return this.#runInSnapshot(findFields(this.#dialect, this.#resource.customValues));
  }

  fieldValues(field: string, prefix: string): FieldValue[] {
    return this.#runInSnapshot(findFieldValues(this.#dialect, this.#resource.customValues, field, prefix));
  }

  fieldValueCounts(field: string, prefix: string): CountedFieldValue[] {
    return this.#runInSnapshot(countFieldValues(this.#dialect, this.#resource.customValues, field, prefix));
  }

  #runInSnapshot<T>(steps: SqlSteps<T>): T {
    return this.#inTransaction(() => this.#run(steps));
  }

  #run<T>(steps: SqlSteps<T>): T {
    return runSteps(steps, (sql) => this.#statements.selectRows(sql));
  }

  #inTransaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      return work();
    } finally {
      // Some errors, such as a damaged file, have ended the transaction.
      if (this.#db.inTransaction) this.#commit.run();
    }
  }
}
