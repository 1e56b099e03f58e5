/** The same as `export`, with the users in PostgreSQL. */
import { startService } from "./child-server.ts";
import { reportExports } from "./export-figures.ts";
import { readOptions } from "./options.ts";
import { startPostgresWith } from "./postgres.ts";

const { numbers, json } = readOptions({ users: 100_000, rounds: 7 });
await using postgres = await startPostgresWith(numbers.users);
await using service = await startService(postgres.url());
await reportExports(service, { ...numbers, json });
