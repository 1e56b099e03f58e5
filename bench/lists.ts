/** The time of each kind of list among many users, and its effect on concurrent requests. */
import { startService } from "./support/child-server.ts";
import { measureLists } from "./support/measure-lists.ts";
import { readOptions } from "./support/options.ts";
import { seededDatabase } from "./support/seeded-database.ts";

const { numbers, json } = readOptions({ users: 1_000_000, times: 50, seconds: 3, slowest: 3 });
await using service = await startService(await seededDatabase(numbers.users));
await measureLists(service, numbers, json);
