/** The same as `export`, on PostgreSQL. */

import { startFilledPostgres } from "../support/bench-postgres.ts";
import { startService } from "../support/child-server.ts";
import { measureExports } from "../support/measure-exports.ts";
import { readOptions } from "../support/options.ts";

const { numbers, json } = readOptions({ users: 100_000, rounds: 7 });
await using postgres = await startFilledPostgres(numbers.users);
await using service = await startService(postgres.url());
await measureExports(service, { ...numbers, json });
