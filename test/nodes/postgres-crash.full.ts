import { afterEach, test } from "bun:test";
import { stopAll } from "../support/process/roster.ts";
import { FAULT_TIMEOUT_MS, killPostgres } from "./support/faults.ts";

afterEach(stopAll);

test(
  "after kill -9 of PostgreSQL at any time, acknowledged writes are kept, and callers are asked to retry",
  async () => {
    await killPostgres(2000);
  },
  FAULT_TIMEOUT_MS,
);
