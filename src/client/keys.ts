import { type ItemList, List } from "./list.ts";
import { readDays } from "./read-days.ts";
import { Resource } from "./resource.ts";
import type { CreatedKey, Key, KeyInput, KeyReplacement, UsageHistory } from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type { CallOptions, DaysOptions, Id, KeyListOptions, KeyPage } from "./types.ts";

export type KeyList = ItemList<Key, KeyPage>;

/** The operations on API keys. */
export class Keys {
  readonly #keys: Resource<Key>;
  readonly #newKeys: Resource<CreatedKey>;

  readonly #usage: Resource<UsageHistory>;

  constructor(transport: ServiceTransport) {
    this.#keys = new Resource(transport, "keys", { id: "number", prefix: "string" });
    this.#newKeys = new Resource(transport, "keys", { id: "number", key: "string" });
    this.#usage = new Resource(transport, "keys", {});
  }

  /** All keys in order of their ids, expired and revoked ones included. */
  list(options: KeyListOptions = {}): KeyList {
    return new List(this.#keys, options, ({ items, next }) => ({ keys: items, next }));
  }

  get(id: Id, options?: CallOptions): Promise<Key> {
    return this.#keys.call("GET", [id], options);
  }

  /** The requests with a key on each of the last days. */
  usage(id: Id, options?: DaysOptions): Promise<UsageHistory> {
    return readDays(this.#usage, [id, "usage"], options);
  }

  /**
   * Creates a key. The result has its secret, which is not shown again. Retried only on 429, when the service has
   * created no key: if the response is lost, look for the key in the list.
   */
  create(key: KeyInput, options?: CallOptions): Promise<CreatedKey> {
    return this.#newKeys.call("POST", [], options, key);
  }

  /** Creates a new key in place of an old one, which expires after `graceSeconds`. Omitted fields are copied from the old key. */
  replace(id: number, changes: KeyReplacement, options?: CallOptions): Promise<CreatedKey> {
    return this.#newKeys.call("POST", [], options, { ...changes, replaces: id });
  }

  /** Revokes a key permanently. Its record stays. */
  revoke(id: Id, options?: CallOptions): Promise<void> {
    return this.#keys.transport.reportErrors(() => this.#keys.delete(id, options));
  }
}
