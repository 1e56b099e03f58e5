import type { ListQuery, Page } from "../../domain/listing.ts";
import type { CountRound } from "../lists/count.ts";
import { connect } from "./database.ts";
import { Reader } from "./reader.ts";
import { answerQuestions } from "./thread.ts";

export type ReaderJob =
  | { readonly list: ListQuery }
  | { readonly count: ListQuery; readonly after: number | undefined };

/** A thread for lists that may take longer than a millisecond. */
answerQuestions<ReaderJob, Page | CountRound>(({ path, waitMs, maxCandidates }) => {
  const db = connect(path, waitMs);
  const reader = new Reader(db, maxCandidates);
  return {
    answer: (ask) => ("list" in ask ? reader.list(ask.list) : reader.countRound(ask.count, ask.after)),
    close: () => db.close(),
  };
});
