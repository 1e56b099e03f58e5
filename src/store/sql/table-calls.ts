import { type AnySignatures, type AnyTables, type MethodsByTable, stepsOf } from "./engine.ts";
import type { SqlSteps } from "./sql-steps.ts";

/*
 * A call is a message: the name of a table, the name of a method, and the arguments. TypeScript relates a name with its arguments
 * and its result only if their types are mapped over a type parameter, so there is one for the tables and one for the methods.
 */

type Calls<S extends AnySignatures> = {
  readonly [M in keyof S]: { readonly method: M; readonly args: S[M]["args"] };
};
type Outcomes<S extends AnySignatures> = {
  readonly [M in keyof S]: { readonly method: M; readonly result: S[M]["result"] };
};
type CallsOf<T extends AnyTables> = { readonly [Name in keyof T]: Calls<T[Name]>[keyof T[Name]] };
type OutcomesOf<T extends AnyTables> = { readonly [Name in keyof T]: Outcomes<T[Name]>[keyof T[Name]] };
type Requests<C> = { readonly [Name in keyof C]: { readonly kind: Name; readonly call: C[Name] } };
type Responses<O> = { readonly [Name in keyof O]: { readonly kind: Name; readonly outcome: O[Name] } };

/** The call of a method of one of these tables, as plain data. */
export type CallRequest<T extends AnyTables> = Requests<CallsOf<T>>[keyof T];
export type CallResponse<T extends AnyTables> = Responses<OutcomesOf<T>>[keyof T];

/** Calls methods of tables in another thread. */
export function forwardCalls<T extends AnyTables>(
  send: (request: CallRequest<T>) => Promise<CallResponse<T>>,
) {
  return <Name extends keyof T>(kind: Name) =>
    async <M extends keyof T[Name]>(method: M, args: T[Name][M]["args"]): Promise<T[Name][M]["result"]> => {
      const call: Calls<T[Name]>[M] = { method, args };
      const outcome = await sendTo<CallsOf<T>, OutcomesOf<T>, Name>(send, kind, call);
      if (!isOutcomeOf<T[Name], M>(outcome, method))
        throw new Error(`No response to a call of ${String(kind)}.${String(method)}.`);
      return outcome.result;
    };
}

async function sendTo<C, O extends { [Name in keyof C]: unknown }, Name extends keyof C>(
  send: (request: Requests<C>[keyof C]) => Promise<Responses<O>[keyof O]>,
  kind: Name,
  call: C[Name],
): Promise<O[Name]> {
  const request: Requests<C>[Name] = { kind, call };
  const response = await send(request);
  if (!isResponseTo<O, Name>(response, kind)) throw new Error(`No response to a call of ${String(kind)}.`);
  return response.outcome;
}

/** The other thread's side: the steps of a call. */
export function* runCall<T extends AnyTables, Name extends keyof T>(
  tables: MethodsByTable<T>,
  { kind, call: { method, args } }: Requests<CallsOf<T>>[Name],
): SqlSteps<Responses<OutcomesOf<T>>[Name]> {
  const result = yield* stepsOf<T, Name, keyof T[Name]>(tables, kind, method, args);
  return { kind, outcome: { method, result } };
}

function isResponseTo<O, Name extends keyof O>(
  response: Responses<O>[keyof O],
  kind: Name,
): response is Responses<O>[Name] {
  return response.kind === kind;
}

function isOutcomeOf<S extends AnySignatures, M extends keyof S>(
  outcome: Outcomes<S>[keyof S],
  method: M,
): outcome is Outcomes<S>[M] {
  return outcome.method === method;
}
