/** The same as `lists`, with the users in PostgreSQL. */
import { startService } from "./child-server.ts";
import { reportLists } from "./list-times.ts";
import { readOptions } from "./options.ts";
import { startPostgresWith } from "./postgres.ts";

const { numbers, json } = readOptions({ users: 100_000, times: 50, seconds: 3, slowest: 3 });
await using postgres = await startPostgresWith(numbers.users);
await using service = await startService(postgres.url());
await reportLists(service, numbers, json);
