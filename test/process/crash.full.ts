import { afterAll, test } from "bun:test";
import { stopAll } from "../support/process/roster.ts";
import { CRASH_TIMEOUT_MS, crashUnderLoad } from "./support/crashes.ts";

afterAll(stopAll);

test(
  "after kill -9 at any time, acknowledged writes are kept, and others are complete or absent",
  () => crashUnderLoad({ rounds: 5 }),
  CRASH_TIMEOUT_MS,
);
