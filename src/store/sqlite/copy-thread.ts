import { StoreError } from "../store-error.ts";
import { isCorruption, openUnchanged, withStoreErrors } from "./database.ts";
import { serveRequests, type ThreadSetup } from "./thread.ts";

/** Copy: the whole file. Check: one table with its indexes. */
export type CopyRequest =
  | { readonly kind: "copy"; readonly to: string }
  | { readonly kind: "check"; readonly table: string };
/** `error` says what is wrong; undefined if nothing is. */
export interface CopyResponse {
  readonly kind: CopyRequest["kind"];
  readonly error: string | undefined;
}

/** A thread for slow work on a whole file, which leaves the command free to show progress and to be interrupted. */
serveRequests<ThreadSetup, CopyRequest, CopyResponse>(({ path, waitMs }) => {
  const { db } = openUnchanged(path, waitMs);
  const check = (table: string): string | undefined => {
    const text = `PRAGMA integrity_check("${table}")`;
    const [first] = db.query<{ integrity_check: string }, []>(text).all();
    return first?.integrity_check === "ok" ? undefined : (first?.integrity_check ?? "nothing was checked");
  };
  const copy = (to: string): undefined => {
    // Copies one snapshot and does not block writers.
    db.query("VACUUM INTO ?").run(to);
  };
  return {
    respond(request) {
      const { kind } = request;
      try {
        return { kind, error: kind === "check" ? check(request.table) : copy(request.to) };
      } catch (error) {
        return { kind, error: explain(error, kind === "check" || isCorruption(error) ? path : request.to) };
      }
    },
    close: () => db.close(),
  };
});

function explain(error: unknown, path: string): string {
  try {
    return withStoreErrors(path, () => {
      throw error;
    });
  } catch (storeError) {
    if (storeError instanceof StoreError) return storeError.message;
    throw storeError;
  }
}
