import { afterEach, test } from "bun:test";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { stopAll } from "../support/process/roster.ts";
import { cutConnections, FAULT_TIMEOUT_MS } from "./support/faults.ts";

startPostgresBeforeTests();
afterEach(stopAll);

test(
  "cutting connections repeatedly loses no write, duplicates none, and causes no error for callers that retry",
  () => cutConnections(30_000),
  FAULT_TIMEOUT_MS,
);
