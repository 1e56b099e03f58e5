/** CPU time of lists by how frequent a match is, compared with bare SQL: a scan in list order, and the best single index. */
import { measurePlans } from "./list-plans/measure-plans.ts";
import { openSqliteEngine } from "./list-plans/sqlite-engine.ts";
import { reportSweep } from "./list-sweep/report.ts";
import { SweepUsers } from "./list-sweep/sweep-users.ts";
import { sweepFields, sweptLists } from "./list-sweep/swept-lists.ts";
import { readOptionsWithTexts } from "./support/options.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { seededDatabase } from "./support/seeded-database.ts";

const { numbers, texts, json } = readOptionsWithTexts(
  { users: 2 ** 17, rounds: 30, milliseconds: 5 },
  { only: "" },
);
const sweep = new SweepUsers(numbers.users);
const lists = sweptLists(sweep).filter(({ name }) => name.includes(texts.only));
using folder = new ScratchFolder();
const seeded = await seededDatabase(numbers.users, (number) => sweep.user(number));
using engine = openSqliteEngine(folder, seeded, sweepFields);
const figures = await measurePlans(engine, lists, { ...numbers, withFirst: true });
reportSweep({ engine: "SQLite", ...numbers, figures, isWhole: texts.only === "" }, json);
