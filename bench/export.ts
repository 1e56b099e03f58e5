/** How many users a second an export gives, as NDJSON and as CSV, and what memory it takes. */
import { startService } from "./child-server.ts";
import { reportExports } from "./export-figures.ts";
import { readOptions } from "./options.ts";
import { seededDatabase } from "./seed.ts";

const { numbers, json } = readOptions({ users: 200_000, rounds: 7 });
await using service = await startService(await seededDatabase(numbers.users));
await reportExports(service, { ...numbers, json });
