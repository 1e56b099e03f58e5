/** The same as `starvation`, on PostgreSQL. */
import { startFilledPostgres } from "../support/bench-postgres.ts";
import { measureStarvation } from "../support/measure-starvation.ts";
import { readOptions } from "../support/options.ts";

const { numbers, json } = readOptions({ users: 100_000, rounds: 5, seconds: 3, connections: 16 });
await using postgres = await startFilledPostgres(numbers.users);
await measureStarvation(postgres.url(), numbers, json);
