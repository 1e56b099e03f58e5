import type { Bulk } from "./bulk.ts";
import type {
  BulkChange,
  BulkOptions,
  BulkSummary,
  ExportOptions,
  ImportedLine,
  ImportOptions,
  ImportSource,
  ImportSummary,
} from "./bulk-types.ts";
import type { CustomFields } from "./custom-fields.ts";
import { ApiError } from "./errors.ts";
import { hasFields } from "./has-fields.ts";
import { buildQuery, type ItemList, List } from "./list.ts";
import { type Id, Resource, unexpectedBody } from "./resource.ts";
import type {
  BulkFormat,
  ChangedUser,
  ListExplanation,
  User,
  UserInput,
  UserPatch,
} from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import { wait } from "./transport/timer.ts";
import type {
  CallOptions,
  ChangeOptions,
  CreateOptions,
  DeleteOptions,
  FieldOptions,
  ListOptions,
  Page,
  PartialUser,
} from "./types.ts";

export interface ModifyOptions extends CallOptions {
  /** The maximum number of attempts if other callers keep changing the user. */
  readonly attempts?: number;
}

/** A list of users. Pages are fetched as you read. */
export interface UserList<Custom = CustomFields, Item = User<Custom>>
  extends ItemList<Item, Page<Custom, Item>> {
  /** One page; with `count`, also the total number of users. */
  page(options?: { count?: boolean }): Promise<Page<Custom, Item>>;
  /** How the service finds the page: its plan, what it expects, and how many rows it reads. Throws a RangeError if `where` has an empty list. */
  explain(): Promise<ListExplanation>;
}

/** All matching users, as they arrive. Memory is constant. */
export interface UserExport<Custom = CustomFields, Item = User<Custom>> extends AsyncIterable<Item> {
  /** The export as bytes, for a file. Rejects immediately if the service responds with an error. */
  stream(format?: BulkFormat): Promise<ReadableStream<Uint8Array>>;
}

/** The result of each line, in order, as it arrives. Nothing is sent until you iterate or call `summary`. */
export interface UserImport extends AsyncIterable<ImportedLine> {
  /** Pass it to another import of the same source to repeat this one without creating users twice. */
  readonly idempotencyKey: string;
  /** Runs the import and counts the results. Returns up to `max` failures. */
  summary(options?: { max?: number }): Promise<ImportSummary>;
}

/** The result of each user, in the order of the ids, or by id with a filter, as it arrives. Nothing is sent until you iterate or call a method. */
export interface UserBulk extends AsyncIterable<ChangedUser> {
  /** Pass it to another call with the same change to repeat this one without effect on users that are done. */
  readonly idempotencyKey: string;
  /** The X-Request-Id of the response: the events of the change have it. Undefined before the first result. */
  readonly requestId: string | undefined;
  /** Makes the change and counts the results. Returns up to `max` failures. */
  summary(options?: { max?: number }): Promise<BulkSummary>;
  /** Changes nothing. Returns the number of users that exist, or that match the filter. */
  count(): Promise<number>;
}

/** The operations on users. */
export class Users<Custom = CustomFields> {
  readonly #users: Resource<User<Custom>>;

  constructor(transport: ServiceTransport) {
    this.#users = new Resource(transport, "users", { id: "number", name: "string", version: "number" });
  }

  /** All matching users: iterate over them, or call `.page()` or `.all()`. */
  list(options: ListOptions<Custom> & FieldOptions<Custom>): UserList<Custom, PartialUser<Custom>>;
  list(options?: ListOptions<Custom>): UserList<Custom>;
  list(options: ListOptions<Custom> & Partial<FieldOptions<Custom>> = {}): UserList<Custom, unknown> {
    const list = new List(this.#users, options, ({ items, ...rest }) => ({ users: items, ...rest }));
    return Object.assign(list, { explain: () => this.#explain(options) });
  }

  get(id: Id, options?: CallOptions): Promise<User<Custom>> {
    return this.#users.call("GET", [id], options);
  }

  /** The user with this email or this `userName`, or undefined. */
  async find(
    by: { readonly email: string } | { readonly userName: string },
    options?: CallOptions,
  ): Promise<User<Custom> | undefined> {
    for await (const user of this.list({ ...options, where: by, limit: 1 })) return user;
    return undefined;
  }

  create(user: UserInput<Custom>, { idempotencyKey, ...options }: CreateOptions = {}): Promise<User<Custom>> {
    return this.#users.call("POST", [], options, user, { "idempotency-key": idempotencyKey ?? randomKey() });
  }

  /**
   * Replaces the whole record. Omitted fields are removed. Returns the changed user, or undefined if the key lacks the
   * scope `users:read`.
   */
  replace(id: Id, user: UserInput<Custom>, options?: ChangeOptions): Promise<User<Custom> | undefined> {
    return this.#users.change("PUT", [id], options, user);
  }

  /**
   * Changes the fields of the patch; null removes a field. Returns the changed user, or undefined if the key lacks the
   * scope `users:read`.
   */
  update(id: Id, patch: UserPatch<Custom>, options?: ChangeOptions): Promise<User<Custom> | undefined> {
    return this.#users.change("PATCH", [id], options, patch);
  }

  /** The user can be restored for some time (`deletedUsers.restore`), unless you purge it. */
  delete(id: Id, { purge, ...options }: DeleteOptions = {}): Promise<void> {
    const query = purge ? new URLSearchParams({ purge: "true" }) : undefined;
    return this.#users.transport.reportErrors(() =>
      this.#users.delete(id, options, query).catch((error) => {
        // An earlier try deleted the user, and its response was lost.
        if (!(isProblem(error, "user-not-found") && error.tries > 1)) throw error;
      }),
    );
  }

  /**
   * Reads the user, calls `change` with it, and replaces the user with the result. Starts over if another caller changed
   * the user in between. Return undefined from `change` to leave the user unchanged.
   */
  modify(
    id: Id,
    change: (user: User<Custom>) => UserInput<Custom> | undefined | Promise<UserInput<Custom> | undefined>,
    { attempts = 10, ...options }: ModifyOptions = {},
  ): Promise<User<Custom>> {
    return this.#users.transport.reportErrors(async () => {
      for (let attempt = 1; ; attempt++) {
        const user = await this.#users.requestItem("GET", [id], options);
        const changed = await change(user);
        if (changed === undefined) return user;
        try {
          return await this.#users.requestItem("PUT", [id], { ...options, ifUnchanged: user }, changed);
        } catch (error) {
          if (!isProblem(error, "version-mismatch") || attempt >= attempts) throw error;
          // A random delay, or callers that conflict would conflict again.
          await wait(Math.random() * 20 * attempt, options.signal);
        }
      }
    });
  }

  // Imports and exports are a separate module, loaded on first use.

  /** All matching users, in one streamed response. */
  export(options: ExportOptions<Custom> & FieldOptions<Custom>): UserExport<Custom, PartialUser<Custom>>;
  export(options?: ExportOptions<Custom>): UserExport<Custom>;
  export(options: ExportOptions<Custom> & Partial<FieldOptions<Custom>> = {}): UserExport<Custom, unknown> {
    const start = () =>
      this.#users.transport.reportErrors(
        async () => new (await import("./bulk.ts")).Export(this.#users, buildQuery(options), options),
      );
    return {
      async *[Symbol.asyncIterator]() {
        yield* await start();
      },
      stream: async (format) => (await start()).stream(format),
    };
  }

  /** Creates a user from each line or object of the source. A line that fails does not stop the others. */
  import(source: ImportSource<Custom>, options: ImportOptions = {}): UserImport {
    const { transport } = this.#users;
    const { idempotencyKey = randomKey() } = options;
    const start = () =>
      transport.reportErrors(
        async () => new (await import("./bulk.ts")).Import(transport, source, idempotencyKey, options),
      );
    return {
      idempotencyKey,
      async *[Symbol.asyncIterator]() {
        yield* await start();
      },
      summary: async (summaryOptions) => (await start()).summary(summaryOptions),
    };
  }

  /** Applies one change to many users: a merge patch, `delete: true` or `restore: true`. A user that fails does not stop the others. */
  bulk(change: BulkChange<Custom>, options: BulkOptions = {}): UserBulk {
    const { transport } = this.#users;
    const { idempotencyKey = randomKey() } = options;
    let bulk: Bulk | undefined;
    const start = () =>
      transport.reportErrors(async () => {
        bulk = new (await import("./bulk.ts")).Bulk(transport, change, idempotencyKey, options);
        return bulk;
      });
    return {
      idempotencyKey,
      get requestId() {
        return bulk?.requestId;
      },
      async *[Symbol.asyncIterator]() {
        yield* await start();
      },
      summary: async (summaryOptions) => (await start()).summary(summaryOptions),
      count: async () => (await start()).count(),
    };
  }

  #explain(options: ListOptions & Partial<FieldOptions>): Promise<ListExplanation> {
    const { transport } = this.#users;
    return transport.reportErrors(async () => {
      const query = buildQuery(options);
      if (!query)
        throw new RangeError("An empty list of values matches no user: there is nothing to explain.");
      const response = await transport.call("GET", ["users", "explain"], options, undefined, {}, query);
      if (hasFields<ListExplanation>(response.body, { rowsRead: "number" })) return response.body;
      throw unexpectedBody(response, "an explanation of a list");
    });
  }
}

function isProblem(error: unknown, type: string): error is ApiError {
  return error instanceof ApiError && error.type === type;
}

/** `randomUUID` is not available in pages loaded over http:. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
