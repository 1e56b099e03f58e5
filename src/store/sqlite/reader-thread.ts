import type { ListQuery, Page } from "../../domain/listing.ts";
import type { CountRound } from "../lists/count.ts";
import { connect } from "./database.ts";
import { Reader } from "./reader.ts";
import { answerQuestions } from "./thread.ts";

export type ReaderAsk =
  | { readonly list: ListQuery }
  | { readonly count: ListQuery; readonly after: number | undefined };

/** A thread for lists that may take longer than a millisecond. */
answerQuestions<ReaderAsk, Page | CountRound>(({ path, waitMs, candidates }) => {
  const db = connect(path, waitMs);
  const reader = new Reader(db, candidates);
  return {
    answer: (ask) => ("list" in ask ? reader.list(ask.list) : reader.countRound(ask.count, ask.after)),
    close: () => db.close(),
  };
});
