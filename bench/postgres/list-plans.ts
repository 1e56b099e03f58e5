/** The same as `list-plans`, on PostgreSQL. */
import { measuredKinds, sampleFields } from "../list-plans/list-kinds.ts";
import { measurePlans } from "../list-plans/measure-plans.ts";
import { createMemberGroups } from "../list-plans/member-groups.ts";
import { openPostgresEngine } from "../list-plans/postgres-engine.ts";
import { reportPlans } from "../list-plans/report.ts";
import { startFilledPostgres } from "../support/bench-postgres.ts";
import { readOptions } from "../support/options.ts";
import { knownValues } from "../support/sample-users.ts";

const { numbers, json } = readOptions({ users: 100_000, rounds: 12, milliseconds: 25 });
await using postgres = await startFilledPostgres(numbers.users);
await createMemberGroups(postgres.url(), numbers.users);
await using engine = await openPostgresEngine(postgres, sampleFields);
const figures = await measurePlans(engine, measuredKinds(knownValues), numbers);
reportPlans({ engine: "PostgreSQL", ...numbers, figures }, json);
