import type {
  ImportOptions,
  ImportSourceOf,
  ImportSummary,
  ItemExport,
  ItemImport,
  StreamOptions,
} from "./bulk-types.ts";
import { ApiError } from "./errors.ts";
import { hasFields } from "./has-fields.ts";
import { type AnyListOptions, buildQuery, type CountedList, List } from "./list.ts";
import { type ItemPage, type Resource, unexpectedBody } from "./resource.ts";
import type { ListExplanation } from "./service-types.ts";
import { openExport, openImport, randomKey } from "./streams.ts";
import { wait } from "./transport/timer.ts";
import type { CallOptions, ChangeOptions, CreateOptions, Id, PageInfo } from "./types.ts";

export interface ModifyOptions extends CallOptions {
  /** The maximum number of attempts if other callers keep changing the record. */
  readonly attempts?: number;
}

/** A list of users or groups. Pages are fetched as you read. */
export interface RecordList<Item, Page> extends CountedList<Item, Page> {
  /** How the service finds the page: its plan, what it expects, and how many rows it reads. Throws a RangeError if `where` or `group` is an empty list. */
  explain(): Promise<ListExplanation>;
}

/** The types of users, or of groups. */
interface RecordTypes {
  readonly name: "users" | "groups";
  readonly item: { readonly version: number };
  /** An item with only some fields. */
  readonly part: object;
  readonly input: object;
  readonly patch: object;
  /** What `find` takes. */
  readonly by: { readonly [field: string]: string };
  readonly listOptions: AnyListOptions;
  readonly fieldOptions: Pick<AnyListOptions, "fields">;
  readonly exportOptions: AnyListOptions & StreamOptions;
  readonly importOptions: ImportOptions;
}

/** The fields of a user or a group that the client checks. */
export const recordFields = { id: "number", name: "string", version: "number" } as const;

type PageOf<Name extends RecordTypes["name"], Item> = PageInfo & { readonly [Member in Name]: Item[] };
export type ToPage<Name extends RecordTypes["name"]> = <Item>(page: ItemPage<Item>) => PageOf<Name, Item>;
type ListOf<Types extends RecordTypes, Item> = RecordList<Item, PageOf<Types["name"], Item>>;

/** What callers can do with users and with groups. */
export class Records<Types extends RecordTypes> {
  protected readonly resource: Resource<Types["item"]>;
  readonly #toPage: ToPage<Types["name"]>;

  constructor(resource: Resource<Types["item"]>, toPage: ToPage<Types["name"]>) {
    this.resource = resource;
    this.#toPage = toPage;
  }

  /** All that match: iterate over them, or call `.page()` or `.all()`. */
  list(options: Types["listOptions"] & Types["fieldOptions"]): ListOf<Types, Types["part"]>;
  list(options?: Types["listOptions"]): ListOf<Types, Types["item"]>;
  list(options: AnyListOptions = {}): ListOf<Types, unknown> {
    const list = new List<unknown, PageOf<Types["name"], unknown>>(this.resource, options, this.#toPage);
    return Object.assign(list, { explain: () => this.#explain(options) });
  }

  get(id: Id, options?: CallOptions): Promise<Types["item"]> {
    return this.resource.call("GET", [id], options);
  }

  /** The one with this value, or undefined. */
  async find(by: Types["by"], options?: CallOptions): Promise<Types["item"] | undefined> {
    const list = new List(this.resource, { ...options, where: by, limit: 1 }, this.#toPage);
    for await (const item of list) return item;
    return undefined;
  }

  create(input: Types["input"], { idempotencyKey, ...options }: CreateOptions = {}): Promise<Types["item"]> {
    return this.resource.call("POST", [], options, input, {
      "idempotency-key": idempotencyKey ?? randomKey(),
    });
  }

  /**
   * Replaces the whole record. Omitted fields are removed. Returns the changed record, or undefined if the key must not read it:
   * that takes the scope `users:read` or `groups:read`.
   */
  replace(id: Id, input: Types["input"], options?: ChangeOptions): Promise<Types["item"] | undefined> {
    return this.resource.change("PUT", [id], options, input);
  }

  /**
   * Changes the fields of the patch; null removes a field. Returns the changed record, or undefined if the key must not read it:
   * that takes the scope `users:read` or `groups:read`.
   */
  update(id: Id, patch: Types["patch"], options?: ChangeOptions): Promise<Types["item"] | undefined> {
    return this.resource.change("PATCH", [id], options, patch);
  }

  protected deleteRecord(id: Id, options?: ChangeOptions, query?: URLSearchParams): Promise<void> {
    const { name, transport } = this.resource;
    return transport.reportErrors(() =>
      this.resource.delete(id, options, query).catch((error) => {
        // An earlier try deleted the record, and its response was lost.
        if (!(isProblem(error, `${name.slice(0, -1)}-not-found`) && error.tries > 1)) throw error;
      }),
    );
  }

  /**
   * Reads the record, calls `change` with it, and replaces the record with the result. Starts over if another caller changed
   * the record in between. Return undefined from `change` to leave the record unchanged.
   */
  modify(
    id: Id,
    change: (item: Types["item"]) => Types["input"] | undefined | Promise<Types["input"] | undefined>,
    { attempts = 10, ...options }: ModifyOptions = {},
  ): Promise<Types["item"]> {
    return this.resource.transport.reportErrors(async () => {
      for (let attempt = 1; ; attempt++) {
        const item = await this.resource.requestItem("GET", [id], options);
        const changed = await change(item);
        if (changed === undefined) return item;
        try {
          return await this.resource.requestItem("PUT", [id], { ...options, ifUnchanged: item }, changed);
        } catch (error) {
          if (!isProblem(error, "version-mismatch") || attempt >= attempts) throw error;
          // A random delay, or callers that conflict would conflict again.
          await wait(Math.random() * 20 * attempt, options.signal);
        }
      }
    });
  }

  /** All that match, in one streamed response. */
  export(options: Types["exportOptions"] & Types["fieldOptions"]): ItemExport<Types["part"]>;
  export(options?: Types["exportOptions"]): ItemExport<Types["item"]>;
  export(options: AnyListOptions & StreamOptions = {}): ItemExport<unknown> {
    return openExport<unknown>(this.resource, options);
  }

  /** Creates a record from each line or object of the source. A line that fails does not stop the others. */
  import(
    source: ImportSourceOf<Types["input"]>,
    options: Types["importOptions"] = {},
  ): ItemImport<ImportSummary> {
    return openImport(this.resource, source, options);
  }

  #explain(options: AnyListOptions): Promise<ListExplanation> {
    const { transport, name } = this.resource;
    return transport.reportErrors(async () => {
      const query = buildQuery(options);
      if (!query) {
        throw new RangeError("An empty list of values matches nothing: there is nothing to explain.");
      }
      const response = await transport.call("GET", [name, "explain"], options, undefined, {}, query);
      if (hasFields<ListExplanation>(response.body, { rowsRead: "number" })) return response.body;
      throw unexpectedBody(response, "an explanation of a list");
    });
  }
}

export function isProblem(error: unknown, type: string): error is ApiError {
  return error instanceof ApiError && error.type === type;
}
