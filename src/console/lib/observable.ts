import { useSyncExternalStore } from "react";

/** A value outside of the React tree that components can subscribe to. */
export class Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }
}

export function useObservable<Value>(store: Observable<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}
