import { ApiError } from "./errors.ts";
import type { Session } from "./session.ts";
import { toNothing, toUser } from "./to-user.ts";
import type {
  CallOptions,
  ChangeOptions,
  CreateOptions,
  ListOptions,
  OpenFields,
  User,
  UserInput,
  UserPatch,
} from "./types.ts";
import { UserList } from "./user-list.ts";

export interface ModifyOptions extends CallOptions {
  /** How often to begin anew when somebody else changed the user meanwhile. */
  readonly attempts?: number;
}

type Id = number | string;

/** What can be done with users. */
export class Users<Own = OpenFields> {
  constructor(readonly session: Session) {}

  /** Everybody who matches: to be iterated, had page by page, or all at once. */
  list(options: ListOptions = {}): UserList<Own> {
    return new UserList(this.session, options);
  }

  get(id: Id, options?: CallOptions): Promise<User<Own>> {
    return this.session.telling(() => this.#user("GET", ["users", id], options));
  }

  /** The user with this email, or undefined. */
  async find({ email }: { email: string }, options?: CallOptions): Promise<User<Own> | undefined> {
    for await (const user of this.list({ ...options, where: { email }, limit: 1 })) return user;
    return undefined;
  }

  create(user: UserInput<Own>, { idempotencyKey, ...options }: CreateOptions = {}): Promise<User<Own>> {
    const headers = { "idempotency-key": idempotencyKey ?? randomKey() };
    return this.session.telling(() => this.#user("POST", ["users"], options, user, headers));
  }

  /** Replaces the whole record: what is not in it is gone. */
  replace(id: Id, user: UserInput<Own>, options?: ChangeOptions): Promise<User<Own>> {
    return this.session.telling(() => this.#user("PUT", ["users", id], options, user));
  }

  /** Changes what the patch names; null removes a field. */
  update(id: Id, patch: UserPatch<Own>, options?: ChangeOptions): Promise<User<Own>> {
    return this.session.telling(() => this.#user("PATCH", ["users", id], options, patch));
  }

  delete(id: Id, options?: ChangeOptions): Promise<void> {
    return this.session.telling(async () => {
      try {
        toNothing(await this.session.call("DELETE", ["users", id], options));
      } catch (error) {
        // An earlier try did it, and its answer was lost.
        if (error instanceof ApiError && error.type === "user-not-found" && error.tries > 1) return;
        throw error;
      }
    });
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
    return this.session.telling(async () => {
      for (let attempt = 1; ; attempt++) {
        const user = await this.#user("GET", ["users", id], options);
        const changed = await change(user);
        if (changed === undefined) return user;
        try {
          return await this.#user("PUT", ["users", id], { ...options, ifUnchanged: user }, changed);
        } catch (error) {
          const overtaken = error instanceof ApiError && error.type === "version-mismatch";
          if (!overtaken || attempt >= attempts) throw error;
          // Those who meet here would meet again and again if all went on at once.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
        }
      }
    });
  }

  async #user(
    method: string,
    path: readonly Id[],
    options?: ChangeOptions,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<User<Own>> {
    return toUser(await this.session.call(method, path, options, body, headers));
  }
}

/** By hand: `randomUUID` is missing in pages that came over http:. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
