import { List } from "./list.ts";
import { type Id, Resource } from "./resource.ts";
import type { ServiceTransport } from "./service-transport.ts";
import type { CallOptions, Key, KeyInput, KeyListOptions, KeyPage, KeyReplacement, NewKey } from "./types.ts";

/** The keys that a list has, fetched as they are asked for. */
export interface KeyList extends AsyncIterable<Key> {
  page(): Promise<KeyPage>;
  /** All of them in one array. Throws a RangeError if there are more than `max`. */
  all(options?: { max?: number }): Promise<Key[]>;
}

/** What can be done with keys. */
export class Keys {
  readonly #keys: Resource<Key>;
  readonly #new: Resource<NewKey>;

  constructor(session: ServiceTransport) {
    this.#keys = new Resource(session, "keys", { id: "number", prefix: "string" });
    this.#new = new Resource(session, "keys", { id: "number", key: "string" });
  }

  /** All of them, those that have ended too, in the order of their ids. */
  list(options: KeyListOptions = {}): KeyList {
    return new List(this.#keys, options, ({ items, next }) => ({ keys: items, next }));
  }

  get(id: Id, options?: CallOptions): Promise<Key> {
    return this.#keys.call("GET", [id], options);
  }

  /**
   * A new key, with its secret, which nothing can show again. It is tried again only when it was surely not made (429):
   * if the answer is lost, look in the list for what it left.
   */
  create(key: KeyInput, options?: CallOptions): Promise<NewKey> {
    return this.#new.call("POST", [], options, key);
  }

  /** A key in the place of another, which goes on for `graceSeconds`. What you do not give is as the old one has it. */
  replace(id: number, changes: KeyReplacement, options?: CallOptions): Promise<NewKey> {
    return this.#new.call("POST", [], options, { ...changes, replaces: id });
  }

  /** Ends it for good. Its record stays. */
  revoke(id: Id, options?: CallOptions): Promise<void> {
    return this.#keys.transport.reportErrors(() => this.#keys.delete(id, options));
  }
}
