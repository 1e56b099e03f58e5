import { ApiError } from "./errors.ts";
import { buildQuery, List } from "./list.ts";
import { type Id, Resource } from "./resource.ts";
import type { ServiceTransport } from "./service-transport.ts";
import type {
  BulkFormat,
  CallOptions,
  ChangeOptions,
  CreateOptions,
  CustomFields,
  ExportOptions,
  ImportedLine,
  ImportOptions,
  ImportSource,
  ImportSummary,
  ListOptions,
  Page,
  User,
  UserInput,
  UserPatch,
} from "./types.ts";

export interface ModifyOptions extends CallOptions {
  /** How often to begin anew when somebody else changed the user meanwhile. */
  readonly attempts?: number;
}

/** The users that a list has, fetched as they are asked for. */
export type UserList<Own = CustomFields> = List<User<Own>, Page<Own>>;

/** Everybody who matches, as they come: constant memory, however many they are. */
export interface UserExport<Own = CustomFields> extends AsyncIterable<User<Own>> {
  /** The same as bytes, for a file. Fails at once if the service refuses. */
  stream(format?: BulkFormat): Promise<ReadableStream<Uint8Array>>;
}

/** What became of each line, in order, as it comes. Nothing is sent before somebody asks. */
export interface UserImport extends AsyncIterable<ImportedLine> {
  /** Give it to another import of the same source, to repeat this one without making anybody twice. */
  readonly idempotencyKey: string;
  /** Does it all, and counts; keeps no more failures than `max`. */
  summary(options?: { max?: number }): Promise<ImportSummary>;
}

/** What can be done with users. */
export class Users<Own = CustomFields> {
  readonly #users: Resource<User<Own>>;

  constructor(session: ServiceTransport) {
    this.#users = new Resource(session, "users", { id: "number", name: "string", version: "number" });
  }

  /** Everybody who matches: to be iterated, had page by page, or all at once. */
  list(options: ListOptions = {}): UserList<Own> {
    return new List(this.#users, options, ({ items, ...rest }) => ({ users: items, ...rest }));
  }

  get(id: Id, options?: CallOptions): Promise<User<Own>> {
    return this.#users.call("GET", [id], options);
  }

  /** The user with this email, or undefined. */
  async find({ email }: { email: string }, options?: CallOptions): Promise<User<Own> | undefined> {
    for await (const user of this.list({ ...options, where: { email }, limit: 1 })) return user;
    return undefined;
  }

  create(user: UserInput<Own>, { idempotencyKey, ...options }: CreateOptions = {}): Promise<User<Own>> {
    return this.#users.call("POST", [], options, user, { "idempotency-key": idempotencyKey ?? randomKey() });
  }

  /** Replaces the whole record: what is not in it is gone. */
  replace(id: Id, user: UserInput<Own>, options?: ChangeOptions): Promise<User<Own>> {
    return this.#users.call("PUT", [id], options, user);
  }

  /** Changes what the patch names; null removes a field. */
  update(id: Id, patch: UserPatch<Own>, options?: ChangeOptions): Promise<User<Own>> {
    return this.#users.call("PATCH", [id], options, patch);
  }

  delete(id: Id, options?: ChangeOptions): Promise<void> {
    return this.#users.transport.reportErrors(() =>
      this.#users.delete(id, options).catch((error) => {
        // An earlier try did it, and its answer was lost.
        if (!(isProblem(error, "user-not-found") && error.tries > 1)) throw error;
      }),
    );
  }

  /**
   * Reads the user, lets `change` make another of it, and replaces it, unless somebody else has changed it meanwhile:
   * then it begins anew. `change` may return undefined to leave the user as it is.
   */
  modify(
    id: Id,
    change: (user: User<Own>) => UserInput<Own> | undefined | Promise<UserInput<Own> | undefined>,
    { attempts = 10, ...options }: ModifyOptions = {},
  ): Promise<User<Own>> {
    return this.#users.transport.reportErrors(async () => {
      for (let attempt = 1; ; attempt++) {
        const user = await this.#users.requestItem("GET", [id], options);
        const changed = await change(user);
        if (changed === undefined) return user;
        try {
          return await this.#users.requestItem("PUT", [id], { ...options, ifUnchanged: user }, changed);
        } catch (error) {
          if (!isProblem(error, "version-mismatch") || attempt >= attempts) throw error;
          // Those who meet here would meet again and again if all went on at once.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
        }
      }
    });
  }

  // Most programs never move many users at once: how that is done is fetched when one does.

  /** Everybody who matches, in one call that goes on until all have come. */
  export(options: ExportOptions = {}): UserExport<Own> {
    const begin = () =>
      this.#users.transport.reportErrors(
        async () => new (await import("./bulk.ts")).Export(this.#users, buildQuery(options), options),
      );
    return {
      async *[Symbol.asyncIterator]() {
        yield* await begin();
      },
      stream: async (format) => (await begin()).stream(format),
    };
  }

  /** Creates a user of each that the source has, as fast as the service takes them. One that is refused stops no other. */
  import(source: ImportSource<Own>, options: ImportOptions = {}): UserImport {
    const { transport: session } = this.#users;
    const { idempotencyKey = randomKey() } = options;
    const begin = () =>
      session.reportErrors(
        async () => new (await import("./bulk.ts")).Import(session, source, idempotencyKey, options),
      );
    return {
      idempotencyKey,
      async *[Symbol.asyncIterator]() {
        yield* await begin();
      },
      summary: async (limits) => (await begin()).summary(limits),
    };
  }
}

function isProblem(error: unknown, type: string): error is ApiError {
  return error instanceof ApiError && error.type === type;
}

/** By hand: `randomUUID` is missing in pages that came over http:. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
