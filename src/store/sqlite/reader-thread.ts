import type { ListQuery, Page } from "../../domain/listing.ts";
import { connect } from "./database.ts";
import { Reader } from "./reader.ts";
import { answerQuestions } from "./thread.ts";

/** A thread for lists that may take longer than a millisecond. */
answerQuestions<ListQuery, Page>(({ path, waitMs, candidates }) => {
  const db = connect(path, waitMs);
  const reader = new Reader(db, candidates);
  return { answer: (query) => reader.list(query), close: () => db.close() };
});
