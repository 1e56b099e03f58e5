/** The same as `list-sweep`, on PostgreSQL. */
import { measurePlans } from "../list-plans/measure-plans.ts";
import { openPostgresEngine } from "../list-plans/postgres-engine.ts";
import { reportSweep } from "../list-sweep/report.ts";
import { SweepUsers } from "../list-sweep/sweep-users.ts";
import { sweepFields, sweptLists } from "../list-sweep/swept-lists.ts";
import { startFilledPostgres } from "../support/bench-postgres.ts";
import { readOptionsWithTexts } from "../support/options.ts";

const { numbers, texts, json } = readOptionsWithTexts(
  { users: 2 ** 17, rounds: 40, milliseconds: 6 },
  { only: "" },
);
const sweep = new SweepUsers(numbers.users);
const lists = sweptLists(sweep).filter(({ name }) => name.includes(texts.only));
await using postgres = await startFilledPostgres(numbers.users, (number) => sweep.user(number));
await using engine = await openPostgresEngine(postgres, sweepFields);
const figures = await measurePlans(engine, lists, { ...numbers, withFirst: true });
reportSweep({ engine: "PostgreSQL", ...numbers, figures, isWhole: texts.only === "" }, json);
