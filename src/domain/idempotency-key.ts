import { keyIdOf, type Origin } from "./caller.ts";
import { ProblemError } from "./problem-error.ts";

/** Identifies a create or a chunk of an import, so that a repeated request has no further effect. */
export interface IdempotencyKey {
  readonly caller: string;
  readonly key: string;
  /** A digest of the request body. The same key with another fingerprint is a mistake. */
  readonly fingerprint: string;
}

/** The caller of idempotency keys: the id of its API key, or an empty text. */
export function callerOf({ actor }: Origin): string {
  return String(keyIdOf(actor) ?? "");
}

/** The idempotency keys of the requests that run on this node, by caller. */
export class RunningKeys {
  readonly #names = new Set<string>();

  /** Keeps the key until it is disposed. Throws `idempotency-in-flight` if a request with the same key is running. */
  reserve(by: Origin, key: string): Disposable {
    const name = `${callerOf(by)}\n${key}`;
    if (this.#names.has(name)) throw new ProblemError("idempotency-in-flight");
    this.#names.add(name);
    return { [Symbol.dispose]: () => this.#names.delete(name) };
  }
}
