import { listKinds, withLimit } from "../list-plans/list-kinds.ts";
import { readOptions } from "../support/options.ts";
import { readMemory } from "../support/process-usage.ts";
import { seedValues } from "../support/seed-users.ts";
import type { GrowthEngine } from "./growth-database.ts";
import { measureGrowth } from "./measure-growth.ts";
import { reportGrowth } from "./report.ts";

/** Measures lists of the users of `roster seed` on one engine. `BENCH_DATABASE` names the larger database, if it exists. */
export async function runGrowth(engine: GrowthEngine): Promise<void> {
  const { numbers, json } = readOptions({
    ...{ users: 10_000_000, base: 100_000 },
    ...{ rounds: 5, milliseconds: 20, requests: 100, seconds: 10 },
  });
  const existing = process.env.BENCH_DATABASE;
  await using large = existing ? await engine.open(existing) : await engine.create(numbers.users);
  await using base = await engine.create(numbers.base);
  const { users } = await large.store.stats();
  const kinds = Object.entries(listKinds(seedValues)).map(([name, query]) => [name, withLimit(query)]);
  const figures = await measureGrowth(base, large, Object.fromEntries(kinds), numbers);
  const { countsServer } = large;
  const [memory, bytes] = [readMemory(process.pid), await large.readBytes()];
  reportGrowth({ engine: engine.name, ...numbers, users, figures, memory, bytes, countsServer }, json);
}
