/**
 * A value, or the promise of one. What an embedded engine has at hand it gives at once: a promise would cost about as
 * much as the read itself.
 */
export type MaybePromise<T> = T | Promise<T>;

export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
