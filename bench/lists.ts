/** How long each kind of list takes among many users, and whether anybody else waits for it. */
import { startService } from "./child-server.ts";
import { reportLists } from "./list-times.ts";
import { readOptions } from "./options.ts";
import { seededDatabase } from "./seed.ts";

const { numbers, json } = readOptions({ users: 1_000_000, times: 50, seconds: 3, slowest: 3 });
await using service = await startService(await seededDatabase(numbers.users));
await reportLists(service, numbers, json);
