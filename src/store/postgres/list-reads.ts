import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { CountedFieldValue, CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import {
  type FoundPage,
  formatFoundPageInTurns,
  type ListQuery,
  type Page,
} from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Dialect } from "../lists/dialect.ts";
import { isFastList } from "../lists/fast-list.ts";
import { countFieldValues, findFields, findFieldValues } from "../lists/field-values.ts";
import type { CountRound, ListOrigin, ListReads } from "../lists/list-reads.ts";
import type { ListResource } from "../lists/list-resource.ts";
import { PageFinder, requirePage, type TOO_MUCH } from "../lists/plans/page-finder.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import type { Connections, ReadOrigin } from "./connections.ts";
import { runInSnapshot, runStatements } from "./snapshot.ts";

/** Reads the lists of one resource. Fast lists share connections with reads by id. Other lists have a connection to themselves. */
export class PostgresListReads implements ListReads {
  readonly #connections: Connections;
  readonly #dialect: Dialect;
  readonly #resource: ListResource;
  readonly #finder: PageFinder;

  constructor(connections: Connections, dialect: Dialect, resource: ListResource) {
    this.#connections = connections;
    this.#dialect = dialect;
    this.#resource = resource;
    this.#finder = new PageFinder(dialect, resource);
  }

  async page(query: ListQuery, list: ListOrigin): Promise<Page> {
    const origin = toReadOrigin(list);
    const found = isFastList(this.#resource, query)
      ? await this.#connections.read((sql) => runStatements(sql, this.#findFast(query), origin), origin.since)
      : ((await this.#findRemembered(query, origin)) ??
        (await this.#readInSnapshot(() => this.#finder.find(query), origin)));
    return await formatFoundPageInTurns(requirePage(found), query, this.#resource.rowFields);
  }

  explain(query: ListQuery, list: ListOrigin): Promise<ListExplanation> {
    return this.#readInSnapshot(() => this.#finder.explain(query), toReadOrigin(list));
  }

  /** To ask PostgreSQL whether a row has changed costs about as much as to read the page. */
  keepPage(_name: string, read: () => MaybePromise<Page>): MaybePromise<Page> {
    return read();
  }

  countRound(query: ListQuery, after: number | undefined, list: ListOrigin): Promise<CountRound> {
    const steps = () => this.#finder.countRound(query, after);
    return this.#readInSnapshot(steps, toReadOrigin(list));
  }

  customFields(owner?: string): Promise<CustomField[]> {
    return this.#readInSnapshot(() => findFields(this.#dialect, this.#resource.customValues), { owner });
  }

  fieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]> {
    return this.#readInSnapshot(
      () => findFieldValues(this.#dialect, this.#resource.customValues, field, prefix),
      { owner },
    );
  }

  fieldValueCounts(field: string, prefix: string, owner?: string): Promise<CountedFieldValue[]> {
    return this.#readInSnapshot(
      () => countFieldValues(this.#dialect, this.#resource.customValues, field, prefix),
      { owner },
    );
  }

  *#findFast(query: ListQuery): SqlSteps<FoundPage | typeof TOO_MUCH> {
    return (yield* this.#finder.findAtOnce(query)) ?? (yield* this.#finder.find(query));
  }

  /** One statement has a snapshot of its own, and needs no transaction. Behind a pooler, only a transaction has planner settings. */
  #findRemembered(
    query: ListQuery,
    origin: ReadOrigin,
  ): MaybePromise<FoundPage | typeof TOO_MUCH | undefined> {
    if (!this.#connections.options.dedicatedSessions || !this.#finder.canFindAtOnce(query)) return undefined;
    return this.#connections.withReserved(
      (sql) => runStatements(sql, this.#finder.findAtOnce(query), origin),
      origin,
    );
  }

  /** Runs steps on a connection of their own. `steps` starts them again after a lost connection. */
  #readInSnapshot<T>(steps: () => SqlSteps<T>, origin?: ReadOrigin): Promise<T> {
    const { dedicatedSessions } = this.#connections.options;
    return this.#connections.withReserved(
      (sql) => runInSnapshot(sql, dedicatedSessions, steps(), origin),
      origin,
    );
  }
}

function toReadOrigin({ since, findOwner }: ListOrigin): ReadOrigin {
  return { since, owner: findOwner?.() };
}
