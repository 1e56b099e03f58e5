/** A data provider for react-admin: `<Admin dataProvider={createDataProvider(createClient())}>`. */
import type { Condition } from "../filter.ts";
import type { Client } from "../index.ts";
import { all, type ComparisonName, toCondition } from "./filters.ts";
import { type FormErrors, withFormErrors } from "./form-errors.ts";
import type { AdminListOptions, Where } from "./numbered-pages.ts";
import { type RecordChange, RecordChanges } from "./record-changes.ts";
import { change, changeMany, readMany, toFilter, toInput, toPatch, toRecord, toSort } from "./records.ts";
import { type AdminList, type AdminResource, type Id, isResource, Resources } from "./resources.ts";

interface Context {
  readonly signal?: AbortSignal;
}

interface ListParams extends Context {
  readonly pagination?: { readonly page: number; readonly perPage: number };
  readonly sort?: { readonly field: string; readonly order: "ASC" | "DESC" };
  readonly filter?: unknown;
}

interface ListResult<Item> {
  readonly data: Item[];
  /** Absent if the service has not counted the whole list. */
  readonly total?: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
}

/** An error as react-admin's forms read it. */
class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly body: { readonly errors: object };

  constructor({ status, message, fields }: FormErrors, cause: unknown) {
    super(message, { cause });
    this.status = status;
    this.body = { errors: nest(fields) };
  }
}

/** A change, as react-admin's realtime features expect it. */
interface LiveEvent {
  readonly type: RecordChange["type"];
  readonly payload: { readonly ids: readonly number[] };
}

type Subscriber = (event: LiveEvent) => void;

/** `resource/users` for changes of any user, `resource/users/42` for those of one. The same of groups. */
const TOPIC = /^resource\/(\w+)(?:\/(\d+))?$/;

/**
 * The methods of react-admin's `DataProvider` for the resources `users` and `groups`, and `subscribe`, `unsubscribe` and
 * `publish` for live updates.
 */
export function createDataProvider(client: Pick<Client, "users" | "groups" | "events">) {
  const resources = new Resources(client);
  const changes = new RecordChanges(client.events);
  const subscriptions = new Map<string, Map<Subscriber, (change: RecordChange) => void>>();

  async function call<Result>(
    name: string,
    send: (resource: AdminResource) => Promise<Result>,
  ): Promise<Result> {
    const resource = resources.get(name);
    return withFormErrors(
      () => send(resource),
      (errors, cause) => new HttpError(errors, cause),
    );
  }

  async function readList<Item>(
    { pages }: AdminList,
    { pagination = { page: 1, perPage: 25 }, sort, signal }: ListParams,
    filter: AdminListOptions,
  ): Promise<ListResult<Item>> {
    const { page, perPage } = pagination;
    const options = {
      ...filter,
      signal,
      limit: perPage,
      ...(sort && { sort: toSort(sort.field, sort.order === "DESC") }),
    };
    // To count the records of a filter expression costs as much as ten lists.
    const count = filter.filter === undefined;
    const { items, next, total } = await pages.read(page, options, { count });
    return {
      data: items.map(toRecord<Item>),
      ...(total?.capped === false && { total: total.count }),
      pageInfo: { hasNextPage: next !== undefined, hasPreviousPage: page > 1 },
    };
  }

  return {
    supportAbortSignal: true,

    /** Calls back after each change. Other topics, such as those of locks, have no events. */
    async subscribe(topic: string, callback: Subscriber): Promise<void> {
      const [, resource, id] = TOPIC.exec(topic) ?? [];
      if (!isResource(resource) || subscriptions.get(topic)?.has(callback)) return;
      const listener = ({ resource: changed, type, ids }: RecordChange) => {
        if (changed !== resource) return;
        if (id === undefined) callback({ type, payload: { ids } });
        else if (ids.length === 0 || ids.includes(Number(id)))
          callback({ type, payload: { ids: [Number(id)] } });
      };
      subscriptions.set(topic, (subscriptions.get(topic) ?? new Map()).set(callback, listener));
      changes.add(listener);
    },

    async unsubscribe(topic: string, callback: Subscriber): Promise<void> {
      const listener = subscriptions.get(topic)?.get(callback);
      subscriptions.get(topic)?.delete(callback);
      if (listener) changes.remove(listener);
    },

    /** The service publishes every change by itself. */
    async publish(): Promise<void> {},

    getList<Item>(resource: string, params: ListParams): Promise<ListResult<Item>> {
      return call(resource, ({ list }) => readList(list, params, parseFilter(params.filter)));
    },

    /** `target` is a field; or, for users, `group`; or, for groups, `user`. */
    getManyReference<Item>(
      resource: string,
      params: ListParams & { readonly target: string; readonly id: Id },
    ): Promise<ListResult<Item>> {
      return call(resource, ({ name, list }) => {
        const { where, ...filters } = parseFilter(params.filter);
        if (name === "groups" && params.target === "user") {
          return readList(resources.groupsOf(params.id), params, { ...filters, where });
        }
        return readList(list, params, { ...filters, where: { ...where, [params.target]: params.id } });
      });
    },

    getOne<Item>(resource: string, { id, signal }: Context & { readonly id: Id }): Promise<{ data: Item }> {
      return call(resource, async ({ records }) => ({
        data: toRecord<Item>(await records.get(id, { signal })),
      }));
    },

    getMany<Item>(
      resource: string,
      { ids, signal }: Context & { readonly ids: readonly Id[] },
    ): Promise<{ data: Item[] }> {
      return call(resource, async (opened) => ({
        data: (await readMany(opened, ids, { signal })).map(toRecord<Item>),
      }));
    },

    create<Item>(resource: string, { data }: { readonly data: object }): Promise<{ data: Item }> {
      return call(resource, async ({ records }) => ({
        data: toRecord<Item>(await records.create(toInput(data))),
      }));
    },

    update<Item>(
      resource: string,
      { id, data, previousData }: { readonly id: Id; readonly data: object; readonly previousData: object },
    ): Promise<{ data: Item }> {
      return call(resource, async (opened) => ({
        data: toRecord<Item>(await change(opened, id, data, previousData)),
      }));
    },

    updateMany(
      resource: string,
      { ids, data }: { readonly ids: readonly Id[]; readonly data: object },
    ): Promise<{ data: Id[] }> {
      return call(resource, async (opened) => ({
        data: await changeMany(opened, ids, { patch: toPatch(data) }),
      }));
    },

    deleteMany(resource: string, { ids }: { readonly ids: readonly Id[] }): Promise<{ data: Id[] }> {
      return call(resource, async (opened) => ({ data: await changeMany(opened, ids, { delete: true }) }));
    },

    delete<Item>(
      resource: string,
      { id, previousData }: { readonly id: Id; readonly previousData?: object },
    ): Promise<{ data: Item }> {
      return call(resource, async ({ records }) => {
        await records.delete(id);
        return { data: toRecord<Item>({ ...previousData, id: Number(id) }) };
      });
    },
  };
}

/** The operators that a field of a filter can end with: `level_gte`. Those that begin with `n` are the opposite. */
const operators: Readonly<Record<string, ComparisonName>> = {
  eq: "eq",
  eq_any: "eq",
  gt: "gt",
  gte: "ge",
  inc: "all",
  inc_any: "eq",
  like: "co",
  lt: "lt",
  lte: "le",
  q: "co",
};
const OPERATOR = new RegExp(`^(.+)_(n?)(${Object.keys(operators).join("|")})$`);

type Filters = Pick<AdminListOptions, "q" | "filter"> & { readonly where: Where };

/** `q` searches. All other fields are equality filters, or end with an operator. */
function parseFilter(filter: unknown): Filters {
  const { q, ...fields } = Object.fromEntries(Object.entries(Object(filter)));
  const where: Record<string, Where[string]> = {};
  const conditions: (Condition | undefined)[] = [];
  const addFields = (members: object, parent: string) => {
    for (const [name, value] of Object.entries(members)) {
      const [, compared = name, negated = "", operator = "eq"] = OPERATOR.exec(name) ?? [];
      if (value === undefined) continue;
      const path = parent + compared;
      if (isObject(value)) addFields(value, `${parent}${name}.`);
      else if (path === name && !path.includes(".")) where[name] = toFilter(name, value);
      else {
        conditions.push(
          toCondition({ path, operator: operators[operator] ?? "eq", negated: negated !== "", value }),
        );
      }
    }
  };
  addFields(fields, "");
  const condition = all(conditions);
  return {
    where,
    ...(typeof q === "string" && q !== "" && { q }),
    ...(condition && { filter: String(condition) }),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** `["address", "city"]` as `{ address: { city: … } }`. */
function nest(fields: FormErrors["fields"]): object {
  const errors = {};
  for (const { path, message } of fields) {
    let parent = errors;
    for (const name of path.slice(0, -1)) {
      const child: unknown = Reflect.get(parent, name);
      const next = typeof child === "object" && child !== null ? child : {};
      define(parent, name, next);
      parent = next;
    }
    define(parent, path.at(-1) ?? "", message);
  }
  return errors;
}

/** Also for a field called `__proto__`. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
