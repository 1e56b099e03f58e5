/** Creates a SQLite database of sample users and keeps it for later runs. */
import { statSync } from "node:fs";
import { readOptions } from "./support/options.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { print } from "./support/table.ts";

const { numbers, json } = readOptions({ users: 100_000 });
const start = performance.now();
const path = await seededDatabase(numbers.users);
const seconds = (performance.now() - start) / 1000;
const megabytes = statSync(path).size / 1e6;
print(json, { path, users: numbers.users, megabytes, seconds }, [
  ["database", "users", "MB", "seconds"],
  [path, String(numbers.users), megabytes.toFixed(0), seconds.toFixed(1)],
]);
