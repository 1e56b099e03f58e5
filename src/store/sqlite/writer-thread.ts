import { checkpoint, connect } from "./database.ts";
import { answerQuestions } from "./thread.ts";
import { type Write, type WriteOutcome, Writer } from "./writer.ts";

/** The thread that commits: the wait for the disk happens here. */
answerQuestions<Write[], WriteOutcome[]>(({ path, waitMs, recordBytes }) => {
  const db = connect(path, waitMs);
  // Each write touches a page of every index: those of a whole batch should fit.
  db.run("PRAGMA cache_size = -8192");
  const writer = new Writer(db, recordBytes);
  return {
    answer: (writes) => writer.apply(writes),
    close() {
      checkpoint(db, waitMs);
      db.close();
    },
  };
});
