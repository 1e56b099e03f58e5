/** CPU time of each kind of list, compared with bare SQL: a scan in list order, and the best single index. */
import { copyFileSync } from "node:fs";
import { measuredKinds, sampleFields } from "./list-plans/list-kinds.ts";
import { measurePlans } from "./list-plans/measure-plans.ts";
import { createMemberGroups } from "./list-plans/member-groups.ts";
import { reportPlans } from "./list-plans/report.ts";
import { openSqliteEngine } from "./list-plans/sqlite-engine.ts";
import { readOptions } from "./support/options.ts";
import { knownValues } from "./support/sample-users.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { seededDatabase } from "./support/seeded-database.ts";

const { numbers, json } = readOptions({ users: 100_000, rounds: 40, milliseconds: 8 });
using folder = new ScratchFolder();
const database = folder.file("groups.db");
copyFileSync(await seededDatabase(numbers.users), database);
await createMemberGroups(database, numbers.users);
using engine = openSqliteEngine(folder, database, sampleFields);
const figures = await measurePlans(engine, measuredKinds(knownValues), numbers);
reportPlans({ engine: "SQLite", ...numbers, figures }, json);
