import { List } from "./list.ts";
import { type Id, Records } from "./records.ts";
import type { Session } from "./session.ts";
import type { CallOptions, Key, KeyInput, KeyListOptions, KeyPage, KeyReplacement, NewKey } from "./types.ts";

/** The keys that a list has, fetched as they are asked for. */
export interface KeyList extends AsyncIterable<Key> {
  page(): Promise<KeyPage>;
  /** All of them in one array. Throws a RangeError if there are more than `most`. */
  all(options?: { most?: number }): Promise<Key[]>;
}

/** What can be done with keys. */
export class Keys {
  readonly #keys: Records<Key>;
  readonly #new: Records<NewKey>;

  constructor(session: Session) {
    this.#keys = new Records(session, "keys", { id: "number", prefix: "string" });
    this.#new = new Records(session, "keys", { id: "number", key: "string" });
  }

  /** All of them, those that have ended too, in the order of their ids. */
  list(options: KeyListOptions = {}): KeyList {
    return new List(this.#keys, options, ({ items, next }) => ({ keys: items, next }));
  }

  get(id: Id, options?: CallOptions): Promise<Key> {
    return this.#keys.ask("GET", [id], options);
  }

  /**
   * A new key, with its secret, which nothing can show again. It is tried again only when it was surely not made (429):
   * if the answer is lost, look in the list for what it left.
   */
  create(key: KeyInput, options?: CallOptions): Promise<NewKey> {
    return this.#new.ask("POST", [], options, key);
  }

  /** A key in the place of another, which goes on for `graceSeconds`. What you do not give is as the old one has it. */
  replace(id: number, changes: KeyReplacement, options?: CallOptions): Promise<NewKey> {
    return this.#new.ask("POST", [], options, { ...changes, replaces: id });
  }

  /** Ends it for good. Its record stays. */
  revoke(id: Id, options?: CallOptions): Promise<void> {
    return this.#keys.session.telling(() => this.#keys.delete(id, options));
  }
}
