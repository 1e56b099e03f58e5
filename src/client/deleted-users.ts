import type { CustomFields } from "./custom-fields.ts";
import { type ItemList, List } from "./list.ts";
import { recordFields } from "./records.ts";
import { Resource } from "./resource.ts";
import type { DeletedUser, User } from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type {
  CallOptions,
  ChangeOptions,
  DeletedListOptions,
  DeletedPage,
  Id,
  RestoreOptions,
} from "./types.ts";

export type DeletedUserList<Custom = CustomFields> = ItemList<DeletedUser<Custom>, DeletedPage<Custom>>;

/** The operations on deleted users. */
export class DeletedUsers<Custom = CustomFields> {
  readonly #deleted: Resource<DeletedUser<Custom>>;
  readonly #restored: Resource<User<Custom>>;

  constructor(transport: ServiceTransport) {
    this.#deleted = new Resource(transport, "deleted-users", { ...recordFields, deletedAt: "string" });
    this.#restored = new Resource(transport, "deleted-users", recordFields);
  }

  /** The users that can be restored, the last deletion first. */
  list(options: DeletedListOptions = {}): DeletedUserList<Custom> {
    return new List(this.#deleted, options, ({ items, next }) => ({ users: items, next }));
  }

  read(id: Id, options?: CallOptions): Promise<DeletedUser<Custom>> {
    return this.#deleted.call("GET", [id], options);
  }

  /**
   * Makes a deleted user a user again, with the same id. Throws an ApiError with the type `email-taken` or `value-taken` if
   * another user has the email or the user name now: choose another `email` or `userName`. Returns the user, or undefined if the
   * key lacks the scope `users:read`.
   */
  restore(id: Id, { email, userName, ...options }: RestoreOptions = {}): Promise<User<Custom> | undefined> {
    const body = email === undefined && userName === undefined ? undefined : { email, userName };
    return this.#restored.change("POST", [id, "restore"], options, body);
  }

  /** Erases a deleted user for good. */
  purge(id: Id, options?: ChangeOptions): Promise<void> {
    return this.#deleted.transport.reportErrors(() => this.#deleted.delete(id, options));
  }
}
