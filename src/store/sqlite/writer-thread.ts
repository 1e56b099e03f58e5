import { statSync } from "node:fs";
import type { RecordRules } from "../../domain/record-rules.ts";
import type { Write, WriteOutcome } from "../apply-write.ts";
import type { KeyWrite, KeyWriteOutcome } from "../key-tables.ts";
import { checkpoint, connect } from "./database.ts";
import { serveRequests, type ThreadSetup } from "./thread.ts";
import { Writer } from "./writer.ts";

/**
 * Each write touches a page of every index, and the larger the file, the farther these are apart: one part in 32 of it
 * is kept at hand, between 2 and 64 MiB.
 */
const cacheKiB = (bytes: number) => Math.round(Math.min(Math.max(bytes / 32, 2 ** 21), 2 ** 26) / 1024);
/** A file that is being filled outgrows its cache: so many batches later it is measured again. */
const BATCHES_BETWEEN_LOOKS = 256;

export interface WriterSetup extends ThreadSetup {
  readonly recordRules: RecordRules;
}

/** Users: a batch of writes. Keys: one change, in its own transaction. */
export type WriterRequest =
  | { readonly kind: "users"; readonly writes: readonly Write[] }
  | { readonly kind: "keys"; readonly write: KeyWrite };
export type WriterResponse =
  | { readonly kind: "users"; readonly outcomes: WriteOutcome[] }
  | { readonly kind: "keys"; readonly outcome: KeyWriteOutcome };

/** The writer thread: commits, and waits for the disk. */
serveRequests<WriterSetup, WriterRequest, WriterResponse>(({ path, waitMs, recordRules }) => {
  const db = connect(path, waitMs);
  const writer = new Writer(db, recordRules);
  let batches = 0;
  return {
    respond(request) {
      if (batches++ % BATCHES_BETWEEN_LOOKS === 0) {
        db.run(`PRAGMA cache_size = ${-cacheKiB(statSync(path).size)}`);
      }
      switch (request.kind) {
        case "users":
          return { kind: "users", outcomes: writer.apply(request.writes) };
        case "keys":
          return { kind: "keys", outcome: writer.changeKeys(request.write) };
      }
    },
    close() {
      checkpoint(db, waitMs);
      db.close();
    },
  };
});
