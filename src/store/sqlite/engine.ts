import type { AllTables, Engines } from "../open-tables.ts";
import { stepsOf } from "../sql/engine.ts";
import type { SqlSteps } from "../sql/sql-steps.ts";
import { type CallRequest, type CallResponse, forwardCalls, runCall } from "../sql/table-calls.ts";
import { sqliteTables } from "./table-dialect.ts";

/** The call of a method of a table, which every thread can run. */
export type TableRequest = CallRequest<AllTables>;
export type TableResponse = CallResponse<AllTables>;

interface EngineThreads {
  /** Runs steps on the main thread. */
  read<T>(steps: SqlSteps<T>): T;
  requestReader(request: TableRequest): Promise<TableResponse>;
  requestWriter(request: TableRequest): Promise<TableResponse>;
}

/** The main thread's side: short reads run on it, and everything else on other threads. */
export function openEngines({ read, requestReader, requestWriter }: EngineThreads): Engines {
  const readLong = forwardCalls<AllTables>(requestReader);
  const write = forwardCalls<AllTables>(requestWriter);
  return (name) => ({
    read: (method, args) =>
      read(stepsOf<AllTables, typeof name, typeof method>(sqliteTables, name, method, args)),
    readLong: readLong(name),
    write: write(name),
    writeRepeatable: write(name),
  });
}

/** A thread's side. */
export function runTableRequest(request: TableRequest, run: <T>(steps: SqlSteps<T>) => T): TableResponse {
  return run(runCall<AllTables, keyof AllTables>(sqliteTables, request));
}
