/** A data provider for refine, and a live provider: `<Refine dataProvider={createDataProvider(createClient())} …>`. */
import { and, type Condition, or } from "../filter.ts";
import { hasFields } from "../has-fields.ts";
import type { Client } from "../index.ts";
import { all, type ComparisonName, isEmpty, toCondition } from "./filters.ts";
import { type FormErrors, withFormErrors } from "./form-errors.ts";
import type { AdminListOptions, Where } from "./numbered-pages.ts";
import { type RecordChange, RecordChanges } from "./record-changes.ts";
import { change, changeMany, readMany, toFilter, toInput, toPatch, toRecord, toSort } from "./records.ts";
import { remember } from "./remember.ts";
import {
  type AdminList,
  type AdminRecord,
  type AdminResource,
  type Id,
  isResource,
  Resources,
} from "./resources.ts";

interface Params {
  readonly resource: string;
  readonly meta?: {
    readonly queryContext?: { readonly signal?: AbortSignal };
    /** The version of the record that a form was filled with. */
    readonly version?: unknown;
    /** In a list of groups: only the groups of the user with this id. */
    readonly user?: unknown;
  };
}

interface Filter {
  readonly field?: string;
  readonly operator: string;
  readonly value: unknown;
}

interface ListParams extends Params {
  /** `currentPage` is a number or, for infinite lists, the cursor of the next page. */
  readonly pagination?: {
    readonly currentPage?: number | string;
    readonly pageSize?: number;
    readonly mode?: "client" | "server" | "off";
  };
  readonly sorters?: readonly { readonly field: string; readonly order: "asc" | "desc" }[];
  readonly filters?: readonly Filter[];
}

interface ListResult<Item> {
  readonly data: Item[];
  readonly total: number;
  /** For infinite lists. */
  readonly cursor?: { readonly next: string };
}

/** An error as refine's forms and notifications read it. */
class HttpError extends Error {
  override readonly name = "HttpError";
  readonly statusCode: number;
  /** By the name of the form field, such as `address.city`. */
  readonly errors: Record<string, string>;

  constructor({ status, message, fields }: FormErrors, cause: unknown) {
    super(message, { cause });
    this.statusCode = status;
    this.errors = Object.fromEntries(fields.map(({ path, message: text }) => [path.join("."), text]));
  }
}

interface LiveSubscription {
  readonly channel: string;
  readonly types: readonly string[];
  readonly params?: { readonly ids?: readonly Id[] };
  readonly callback: (event: {
    channel: string;
    type: RecordChange["type"];
    payload: { ids: number[] };
    date: Date;
  }) => void;
}

/** refine's `LiveProvider`: reloads what a change affects, with `options={{ liveMode: "auto" }}`. */
export function createLiveProvider({ events }: Pick<Client, "events">) {
  const changes = new RecordChanges(events);
  return {
    subscribe({ channel, types, params, callback }: LiveSubscription): (change: RecordChange) => void {
      const requested = params?.ids?.map(Number) ?? [];
      const listener = ({ resource, type, ids }: RecordChange) => {
        if (channel !== `resources/${resource}`) return;
        if (!types.includes("*") && !types.includes(type)) return;
        if (requested.length > 0 && ids.length > 0 && !ids.some((id) => requested.includes(id))) return;
        callback({ channel, type, payload: { ids: [...ids] }, date: new Date() });
      };
      if (isResource(channel.split("/")[1])) changes.add(listener);
      return listener;
    },

    unsubscribe(listener: (change: RecordChange) => void): void {
      changes.remove(listener);
    },
  };
}

/** The methods of refine's `DataProvider` for the resources `users` and `groups`. `apiUrl` is the result of `useApiUrl()`. */
export function createDataProvider(client: Pick<Client, "users" | "groups">, { apiUrl = "/api" } = {}) {
  const resources = new Resources(client);
  /** Versions of the records that were read one by one, for forms: refine passes no previous record to `update`. */
  const versions = new Map<string, number>();

  async function call<Result>(
    params: Params,
    send: (resource: AdminResource) => Promise<Result>,
  ): Promise<Result> {
    const resource = resources.get(params.resource);
    return withFormErrors(
      () => send(resource),
      (errors, cause) => new HttpError(errors, cause),
    );
  }
  function rememberVersion<Item>({ resource }: Params, record: object): Item {
    if (hasFields<Pick<AdminRecord, "id" | "version">>(record, { id: "number", version: "number" })) {
      remember(versions, `${resource}/${record.id}`, record.version);
    }
    return toRecord(record);
  }

  /** With `meta.user`, the groups of this user. */
  function listOf({ name, list }: AdminResource, { meta }: Params): AdminList {
    const user = meta?.user;
    const isId = typeof user === "number" || typeof user === "string";
    return name === "groups" && isId ? resources.groupsOf(user) : list;
  }

  return {
    getApiUrl: () => apiUrl,

    getList<Item>(params: ListParams): Promise<ListResult<Item>> {
      return call(params, async (resource) => {
        const list = listOf(resource, params);
        const { currentPage = 1, pageSize = 10, mode = "server" } = params.pagination ?? {};
        const options = {
          ...parseFilters(params.filters),
          ...parseSorters(params.sorters),
          ...readSignal(params),
        };
        if (mode !== "server") {
          const all = await list.all({ ...options, limit: 1000 });
          return { data: all.map(toRecord<Item>), total: all.length };
        }
        const paged = { ...options, limit: pageSize };
        const { items, next, total } =
          typeof currentPage === "string"
            ? await list.page({ ...paged, after: currentPage }, { count: true })
            : await list.pages.read(currentPage, paged, { count: true });
        return {
          data: items.map(toRecord<Item>),
          total: total?.count ?? 0,
          ...(next && { cursor: { next } }),
        };
      });
    },

    getOne<Item>(params: Params & { readonly id: Id }): Promise<{ data: Item }> {
      return call(params, async ({ records }) => ({
        data: rememberVersion<Item>(params, await records.get(params.id, readSignal(params))),
      }));
    },

    getMany<Item>(params: Params & { readonly ids: readonly Id[] }): Promise<{ data: Item[] }> {
      return call(params, async (resource) => ({
        data: (await readMany(resource, params.ids, readSignal(params))).map(toRecord<Item>),
      }));
    },

    create<Item>(params: Params & { readonly variables: unknown }): Promise<{ data: Item }> {
      return call(params, async ({ records }) => ({
        data: rememberVersion<Item>(params, await records.create(toInput(Object(params.variables)))),
      }));
    },

    update<Item>(params: Params & { readonly id: Id; readonly variables: unknown }): Promise<{ data: Item }> {
      return call(params, async (resource) => {
        const variables: object = Object(params.variables);
        const version =
          params.meta?.version ??
          Reflect.get(variables, "version") ??
          versions.get(`${params.resource}/${Number(params.id)}`);
        const changed = await change(resource, params.id, variables, { version });
        return { data: rememberVersion<Item>(params, changed) };
      });
    },

    updateMany<Item>(
      params: Params & { readonly ids: readonly Id[]; readonly variables: unknown },
    ): Promise<{ data: Item[] }> {
      return call(params, async (resource) => {
        const patch = toPatch(Object(params.variables));
        const ids = await changeMany(resource, params.ids, { patch });
        return { data: (await readMany(resource, ids)).map(toRecord<Item>) };
      });
    },

    deleteMany<Item>(params: Params & { readonly ids: readonly Id[] }): Promise<{ data: Item[] }> {
      return call(params, async (resource) => {
        const ids = await changeMany(resource, params.ids, { delete: true });
        return { data: ids.map((id) => toRecord<Item>({ id: Number(id) })) };
      });
    },

    deleteOne<Item>(params: Params & { readonly id: Id }): Promise<{ data: Item }> {
      return call(params, async ({ records }) => {
        await records.delete(params.id);
        return { data: toRecord<Item>({ id: Number(params.id) }) };
      });
    },
  };
}

function readSignal({ meta }: Params): { readonly signal?: AbortSignal } {
  const signal = meta?.queryContext?.signal;
  return signal ? { signal } : {};
}

function parseSorters(sorters: ListParams["sorters"] = []): Pick<AdminListOptions, "sort"> {
  const [first, second] = sorters;
  if (second) throw new RangeError("A list can be sorted by one field only.");
  return first ? { sort: toSort(first.field, first.order === "desc") } : {};
}

/** Those of refine that begin with `n` are the opposite. */
const operators: Readonly<Record<string, ComparisonName>> = {
  eq: "eq",
  in: "eq",
  ina: "all",
  lt: "lt",
  lte: "le",
  gt: "gt",
  gte: "ge",
  between: "between",
  null: "null",
  contains: "co",
  startswith: "sw",
  endswith: "ew",
};

type Filters = Pick<AdminListOptions, "q" | "filter"> & { readonly where: Where };

/** The field `q` searches names and emails. `eq` and `in` of a field are equality filters, all others a filter expression. */
function parseFilters(filters: readonly Filter[] = []): Filters {
  const search = filters.find(({ field }) => field === "q");
  const where: Record<string, Where[string]> = {};
  const conditions: (Condition | undefined)[] = [];
  for (const filter of filters) {
    const { field, operator, value } = filter;
    if (field === "q" || (isEmpty(value) && !operator.endsWith("null"))) continue;
    if (
      (operator === "eq" || operator === "in") &&
      field &&
      !field.includes(".") &&
      !Object.hasOwn(where, field)
    ) {
      where[field] = toFilter(field, value);
    } else conditions.push(parseCondition(filter));
  }
  const condition = all(conditions);
  return {
    where,
    ...(typeof search?.value === "string" && search.value !== "" && { q: search.value }),
    ...(condition && { filter: String(condition) }),
  };
}

function parseCondition({ field, operator, value }: Filter): Condition | undefined {
  if (Array.isArray(value) && (operator === "and" || operator === "or")) {
    const [first, ...others] = value.flatMap((filter: Filter) => parseCondition(filter) ?? []);
    return first && (operator === "and" ? and : or)(first, ...others);
  }
  const negated = operator.startsWith("n") && operator !== "null";
  const name = operators[operator === "ne" ? "eq" : operator.slice(negated ? 1 : 0)];
  if (!field || !name) {
    throw new RangeError(
      `The filter operator ${operator} is not supported. Use ${Object.keys(operators).join(", ")}, with n in front for the opposite, and, or, or the field q to search.`,
    );
  }
  return toCondition({ path: field, operator: name, negated, value });
}
