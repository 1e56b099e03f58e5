import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { SqlSteps } from "./sql-steps.ts";

interface Signature {
  readonly args: readonly unknown[];
  readonly result: unknown;
}

/** What the methods of tables take and return. Each method is a generator of SQL steps. */
type Signatures<Tables> = {
  [M in keyof Tables & string]: Tables[M] extends (...args: infer Args) => SqlSteps<infer Result>
    ? { readonly args: Args; readonly result: Result }
    : never;
};
export type AnySignatures = Readonly<Record<string, Signature>>;

/** The signatures of several tables, by the name of the table. */
export type SignaturesByTable<T> = { readonly [Name in keyof T & string]: Signatures<T[Name]> };
export type AnyTables = Readonly<Record<string, AnySignatures>>;

/** Tables with methods of these signatures. */
type Methods<S extends AnySignatures> = {
  readonly [M in keyof S]: (...args: S[M]["args"]) => SqlSteps<S[M]["result"]>;
};

export type MethodsByTable<T extends AnyTables> = { readonly [Name in keyof T]: Methods<T[Name]> };

/** How an engine runs the methods of some tables. */
interface Engine<S extends AnySignatures> {
  /**
   * Runs short work that only reads: on SQLite on the main thread, on PostgreSQL on a shared connection. Each statement has a
   * snapshot of its own.
   */
  read<M extends keyof S>(method: M, args: S[M]["args"]): MaybePromise<S[M]["result"]>;
  /** The same for longer work: on SQLite on another thread, on PostgreSQL on a connection of its own. */
  readLong<M extends keyof S>(method: M, args: S[M]["args"]): Promise<S[M]["result"]>;
  /** Runs a method in a transaction of its own, which is durable when the promise resolves. */
  write<M extends keyof S>(method: M, args: S[M]["args"]): Promise<S[M]["result"]>;
  /**
   * Like `write`, for a method of one statement that does no harm if it is run again: after a lost connection, it is repeated, also
   * if it may have been committed.
   */
  writeRepeatable<M extends keyof S>(method: M, args: S[M]["args"]): Promise<S[M]["result"]>;
}

/** The engine of tables: what their store needs. */
export type EngineOf<Tables> = Engine<Signatures<Tables>>;

/** The engine of each table, by name. */
export type EnginesOf<T extends AnyTables> = <Name extends keyof T>(name: Name) => Engine<T[Name]>;

/** The steps of a method of one of these tables. */
export function stepsOf<T extends AnyTables, Name extends keyof T, M extends keyof T[Name]>(
  tables: MethodsByTable<T>,
  name: Name,
  method: M,
  args: T[Name][M]["args"],
): SqlSteps<T[Name][M]["result"]> {
  return tables[name][method](...args);
}
