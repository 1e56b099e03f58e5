/** The same as `lists`, on PostgreSQL. */

import { startFilledPostgres } from "../support/bench-postgres.ts";
import { startService } from "../support/child-server.ts";
import { measureLists } from "../support/measure-lists.ts";
import { readOptions } from "../support/options.ts";

const { numbers, json } = readOptions({ users: 100_000, times: 50, seconds: 3, slowest: 3 });
await using postgres = await startFilledPostgres(numbers.users);
await using service = await startService(postgres.url());
await measureLists(service, numbers, json);
