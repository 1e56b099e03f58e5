/**
 * A value or a promise of it. SQLite reads return values at once: a promise would cost about as much as the read
 * itself.
 */
export type MaybePromise<T> = T | Promise<T>;

export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
