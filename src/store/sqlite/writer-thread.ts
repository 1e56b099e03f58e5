import { connect } from "./database.ts";
import { answerQuestions } from "./thread.ts";
import { type Write, type WriteOutcome, Writer } from "./writer.ts";

export type WriterAsk = { readonly commit: Write[] } | { readonly checkpoint: true };

/** The thread that commits: the wait for the disk happens here. */
answerQuestions<WriterAsk, WriteOutcome[]>(({ path, waitMs, recordBytes }) => {
  const writer = new Writer(connect(path, waitMs), recordBytes);
  return (ask) => {
    if ("commit" in ask) return writer.apply(ask.commit);
    writer.checkpoint();
    return [];
  };
});
