/** CPU time per request of this checkout, compared with that of another one: `--base FOLDER`. */
import { resolve } from "node:path";
import { engines } from "./compare/engines.ts";
import { measureTrees, type StartCosts } from "./compare/measure-trees.ts";
import { type RequestKind, requestKinds } from "./compare/request-kinds.ts";
import { type Cost, Tree } from "./compare/tree.ts";
import { readOptionsWithTexts } from "./support/options.ts";
import { type Estimate, estimateCentre, meanOfLowest, median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const { numbers, texts, json } = readOptionsWithTexts(
  { starts: 6, rounds: 3, milliseconds: 40, connections: 16 },
  { base: "", engine: "sqlite", only: "" },
);
if (texts.base === "") throw new RangeError("Give another checkout of Roster with --base FOLDER.");
const startEngine = new Map(Object.entries(engines)).get(texts.engine);
if (!startEngine) throw new RangeError(`--engine must be one of ${Object.keys(engines).join(", ")}.`);
const kinds = texts.only === "" ? requestKinds : texts.only.split(",").map(findKind);

function findKind(name: string): RequestKind {
  const kind = requestKinds.find((known) => known.name === name);
  if (kind) return kind;
  throw new RangeError(
    `--only does not know ${name}. Give some of ${requestKinds.map((known) => known.name).join(",")}.`,
  );
}

await using engine = await startEngine();
// npm changes to the folder of the script, and says where it started.
const base = await Tree.prepare("base", resolve(process.env.INIT_CWD ?? "", texts.base), engine);
const changed = await Tree.prepare("changed", resolve(import.meta.dir, ".."), engine);
const results = await measureTrees(base, changed, kinds, numbers);

/** The ratio of the CPU times of both trees: one ratio per start, because their processes differ. */
function estimateRatio(starts: readonly StartCosts[], time: (cost: Cost) => number): Estimate {
  const logarithms = starts.map((start) =>
    Math.log(meanOfLowest(start.changed.map(time)) / meanOfLowest(start.base.map(time))),
  );
  const { value, low, high } = estimateCentre(logarithms);
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) };
}

function judge({ low, high }: Estimate, target: number): string {
  return low <= target && target < high ? "unclear" : verdict(high <= target);
}

const total = (cost: Cost) => cost.total;
const figures = [...results].map(([{ name, target }, starts]) => {
  const ratio = estimateRatio(starts, total);
  return {
    name,
    baseMicros: median(starts.map((start) => meanOfLowest(start.base.map(total)))),
    changedMicros: median(starts.map((start) => meanOfLowest(start.changed.map(total)))),
    ratio,
    serviceRatio: estimateRatio(starts, (cost) => cost.service),
    target,
    verdict: judge(ratio, target),
  };
});

const withServer = texts.engine === "postgres";
const cells = ({ value, low, high }: Estimate) => [value.toFixed(3), `${low.toFixed(3)}–${high.toFixed(3)}`];
print(json, { ...numbers, engine: texts.engine, figures }, [
  [
    ...["", "base µs/request", "this µs/request", "ratio", "95 % interval", "target", ""],
    ...(withServer ? ["service's ratio", "95 % interval"] : []),
  ],
  ...figures.map(({ name, baseMicros, changedMicros, ratio, serviceRatio, target, verdict }) => [
    ...[name, baseMicros.toFixed(1), changedMicros.toFixed(1), ...cells(ratio), `≤ ${target}`, verdict],
    ...(withServer ? cells(serviceRatio) : []),
  ]),
]);
