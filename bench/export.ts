/** Users per second of an export as NDJSON and CSV, and its memory. */
import { startService } from "./support/child-server.ts";
import { measureExports } from "./support/measure-exports.ts";
import { readOptions } from "./support/options.ts";
import { seededDatabase } from "./support/seeded-database.ts";

const { numbers, json } = readOptions({ users: 200_000, rounds: 7 });
await using service = await startService(await seededDatabase(numbers.users));
await measureExports(service, { ...numbers, json });
