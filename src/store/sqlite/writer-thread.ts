import { statSync } from "node:fs";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { Write, WriteOutcome } from "../writes/apply-write.ts";
import { Refusals } from "../writes/write-batch.ts";
import { checkpoint, connect } from "./database.ts";
import { runTableRequest, type TableRequest, type TableResponse } from "./engine.ts";
import { serveRequests, type ThreadSetup } from "./thread.ts";
import { Writer } from "./writer.ts";

/**
 * Page cache: 1/32 of the file, between 2 and 64 MiB. Each write touches a page of every index, and the pages are
 * further apart in a larger file.
 */
const cacheKiB = (bytes: number) => Math.round(Math.min(Math.max(bytes / 32, 2 ** 21), 2 ** 26) / 1024);
/** The file grows: its cache is resized after this many batches. */
const BATCHES_PER_RESIZE = 256;
/** How long a stop waits for other readers of the log. A program that copies the log, like Litestream, reads it all the time. */
const CLOSE_WAIT_MS = 500;

export interface WriterSetup extends ThreadSetup {
  readonly recordRules: RecordRules;
}

/** A batch of writes of users; a probe, which is a write that changes nothing; or the call of a table's method, in its own transaction. */
export type WriterRequest =
  | {
      readonly kind: "batch";
      readonly writes: readonly Write[];
      /** The memory of the batch's `Refusals`. */
      readonly states: Int32Array<SharedArrayBuffer>;
    }
  | { readonly kind: "probe" }
  | TableRequest;
export type WriterResponse =
  | { readonly kind: "batch"; readonly outcomes: (WriteOutcome | null)[] }
  | { readonly kind: "probe" }
  | TableResponse;

/** The writer thread: commits, and waits for the disk. */
serveRequests<WriterSetup, WriterRequest, WriterResponse>(({ path, waitMs, recordRules }) => {
  const db = connect(path, waitMs);
  const writer = new Writer(db, recordRules);
  let batches = 0;
  return {
    respond(request) {
      if (batches++ % BATCHES_PER_RESIZE === 0) {
        db.run(`PRAGMA cache_size = ${-cacheKiB(statSync(path).size)}`);
      }
      switch (request.kind) {
        case "batch":
          return { kind: "batch", outcomes: writer.apply(request.writes, new Refusals(request.states)) };
        case "probe":
          writer.probe();
          return { kind: "probe" };
        default:
          return runTableRequest(request, (steps) => writer.run(steps));
      }
    },
    close() {
      db.run("PRAGMA busy_timeout = 0");
      checkpoint(db, Math.min(waitMs, CLOSE_WAIT_MS));
      db.close();
    },
  };
});
