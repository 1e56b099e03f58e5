import { StoreError } from "../store-error.ts";
import { explained, isDamage, openToRead } from "./database.ts";
import { answerQuestions } from "./thread.ts";

/** What takes long with a file: to copy it, and to look through one of its tables with all indexes. */
export type CopyAsk = { readonly copyTo: string } | { readonly check: string };
/** What is wrong, if something is. */
export type CopyAnswer = { readonly fault?: string };

/** A thread for them: whoever waits can still show how far it is, and be interrupted. */
answerQuestions<CopyAsk, CopyAnswer>(({ path, waitMs }) => {
  const { db } = openToRead(path, waitMs);
  const check = (table: string): CopyAnswer => {
    const text = `PRAGMA integrity_check("${table}")`;
    const [first] = db.query<{ integrity_check: string }, []>(text).all();
    return first?.integrity_check === "ok" ? {} : { fault: first?.integrity_check ?? "nothing was checked" };
  };
  const copy = (to: string): CopyAnswer => {
    // All of one moment, whatever is written meanwhile, and nobody who writes has to wait for it.
    db.query("VACUUM INTO ?").run(to);
    return {};
  };
  return {
    answer(ask) {
      try {
        return "check" in ask ? check(ask.check) : copy(ask.copyTo);
      } catch (error) {
        return { fault: explanation(error, "check" in ask || isDamage(error) ? path : ask.copyTo) };
      }
    },
    close: () => db.close(),
  };
});

function explanation(error: unknown, path: string): string {
  try {
    return explained(path, () => {
      throw error;
    });
  } catch (explained) {
    if (explained instanceof StoreError) return explained.message;
    throw explained;
  }
}
