import { statSync } from "node:fs";
import type { Write, WriteOutcome } from "../apply-write.ts";
import type { KeyWrite, KeyWriteOutcome } from "../keys.ts";
import { checkpoint, connect } from "./database.ts";
import { answerQuestions } from "./thread.ts";
import { Writer } from "./writer.ts";

/**
 * Each write touches a page of every index, and the larger the file, the farther these are apart: one part in 32 of it
 * is kept at hand, between 2 and 64 MiB.
 */
const cacheKiB = (bytes: number) => Math.round(Math.min(Math.max(bytes / 32, 2 ** 21), 2 ** 26) / 1024);
/** A file that is being filled outgrows its cache: so many batches later it is measured again. */
const BATCHES_BETWEEN_LOOKS = 256;

export type WriterAsk = Write[] | KeyWrite;
export type WriterAnswer = WriteOutcome[] | KeyWriteOutcome;

/** The thread that commits: the wait for the disk happens here. */
answerQuestions<WriterAsk, WriterAnswer>(({ path, waitMs, recordBytes }) => {
  const db = connect(path, waitMs);
  const writer = new Writer(db, recordBytes);
  let batches = 0;
  return {
    answer(ask) {
      if (batches++ % BATCHES_BETWEEN_LOOKS === 0) {
        db.run(`PRAGMA cache_size = ${-cacheKiB(statSync(path).size)}`);
      }
      return Array.isArray(ask) ? writer.apply(ask) : writer.changeKeys(ask);
    },
    close() {
      checkpoint(db, waitMs);
      db.close();
    },
  };
});
