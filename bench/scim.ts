/**
 * What SCIM costs: CPU time of the service and the database server, each kind of request compared with that of the API in the same
 * interleaved run. Also what providers do with many users and with large groups. `--only first-sync,put-group` measures some parts.
 */
import { engines } from "./compare/engines.ts";
import { comparisonHeading } from "./request-costs/comparisons.ts";
import { allUsers } from "./scim/all-users.ts";
import { createSetting, type ScimBench } from "./scim/bench.ts";
import { firstSync } from "./scim/first-sync.ts";
import { largeGroup } from "./scim/large-group.ts";
import { nightlyRun } from "./scim/nightly-run.ts";
import { patchMembers } from "./scim/patch-members.ts";
import { putGroup } from "./scim/put-group.ts";
import { singleRequests } from "./scim/single-requests.ts";
import { readOptionsWithTexts } from "./support/options.ts";
import { print, type Row } from "./support/table.ts";

const benches: ReadonlyMap<string, ScimBench> = new Map([
  ["requests", singleRequests],
  ["nightly", nightlyRun],
  ["first-sync", firstSync],
  ["all-users", allUsers],
  ["large-group", largeGroup],
  ["put-group", putGroup],
  ["patch-members", patchMembers],
]);
const { numbers, texts, json } = readOptionsWithTexts(
  {
    users: 100_000,
    members: 1_000_000,
    putMembers: 50_000,
    patchMembers: 10_000,
    rounds: 7,
    requests: 500,
  },
  { engine: "sqlite", only: [...benches.keys()].join() },
);
const chosen = texts.only.split(",").map((name) => {
  const bench = benches.get(name);
  if (!bench) throw new RangeError(`--only must be some of ${[...benches.keys()].join()}.`);
  return { name, bench };
});
const startEngine = new Map(Object.entries(engines)).get(texts.engine);
if (!startEngine) throw new RangeError(`--engine must be one of ${Object.keys(engines).join(", ")}.`);
await using engine = await startEngine();
const setting = createSetting(engine, numbers);
const figures: Record<string, object> = {};
const rows: Row[] = [comparisonHeading];
for (const { name, bench } of chosen) {
  const result = await bench(setting);
  figures[name] = result.figures;
  rows.push(...result.rows);
}
print(json, { ...numbers, engine: texts.engine, figures }, rows);
