import { afterEach, test } from "bun:test";
import { stopAll } from "../support/process/roster.ts";
import { FAULT_TIMEOUT_MS, freezePostgres } from "./support/faults.ts";

afterEach(stopAll);

test(
  "while PostgreSQL is frozen, every request gets 503, and the service recovers by itself",
  async () => {
    await freezePostgres(1000);
  },
  FAULT_TIMEOUT_MS,
);
