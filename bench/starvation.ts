/** How long one caller waits while another one sends the requests that cost most, and how long these hold the event loop. */
import { copyFileSync } from "node:fs";
import { measureStarvation } from "./support/measure-starvation.ts";
import { readOptions } from "./support/options.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { seededDatabase } from "./support/seeded-database.ts";

const { numbers, json } = readOptions({ users: 100_000, rounds: 5, seconds: 3, connections: 16 });
using folder = new ScratchFolder();
const path = folder.file("starvation.db");
copyFileSync(await seededDatabase(numbers.users), path);
await measureStarvation(path, numbers, json);
