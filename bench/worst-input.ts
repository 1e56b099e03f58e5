/** CPU time of the inputs that take longest among those that the service accepts: patterns, filter expressions and users. */
import type { Json } from "../src/contract/json.ts";
import { compileExpression } from "../src/domain/filter/compile-expression.ts";
import { parseExpression } from "../src/domain/filter/parse-expression.ts";
import { LinearPattern } from "../src/domain/schema/linear-pattern.ts";
import { userCheck } from "../src/domain/users/check-user.ts";
import { defaultRecordRules } from "../src/domain/users/record-rules.ts";
import { readOptions } from "./support/options.ts";
import { print, verdict } from "./support/table.ts";

const { numbers, json } = readOptions({ rounds: 100 });

/** The same text in each run. */
function randomText(characters: readonly string[], length: number): string {
  let state = length;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return characters[Math.floor(state / 65_536) % characters.length];
  }).join("");
}

const distinctCharacters = Array.from({ length: 16_384 }, (_, i) => String.fromCodePoint(0x100 + i)).join("");
const letters = randomText(["a", "a", "a", "a", "a", "a", "a", "b"], 16_384);
const fifty = (comparison: (i: number) => string) =>
  parseExpression(Array.from({ length: 50 }, (_, i) => comparison(i)).join(" or "));
const longPath = `${"a.".repeat(2000)}a eq 1`;
const longTexts = fifty((i) => `${"ab"[i % 2]} co "${i}"`);
const shortTexts = fifty((i) => `a eq "${i}"`);
const dates = fifty(() => 'a eq "2024-01-31"');
const list = { name: "Ada", list: Array.from({ length: 32_000 }, () => 1) };
const fields = Object.fromEntries(Array.from({ length: 7000 }, (_, i) => [`f${i.toString(36)}`, 1]));

const pattern = (source: string, text: string, maxLength?: number) => () =>
  new LinearPattern(source, maxLength).test(text);

const inputs: readonly (readonly [name: string, targetMs: number, work: () => unknown])[] = [
  ["pattern with many states", 10, pattern("[ab]*a[ab]{49}c", letters)],
  ["pattern with many states and a maxLength", 10, pattern("[ab]*a[ab]{230}c", letters.slice(0, 4300), 4300)],
  [
    "pattern with many classes",
    10,
    pattern("\\p{L}\\p{N}\\p{P}\\p{S}\\p{M}\\p{Z}\\w\\s.!", distinctCharacters),
  ],
  [
    "pattern with many characters",
    10,
    pattern(`(${[...distinctCharacters].slice(-28).join("|")})*!`, distinctCharacters),
  ],
  ["filter: a path of 2000 steps", 5, () => compileExpression(parseExpression(longPath))({ a: { a: 1 } })],
  ["filter: a quote that is never closed", 5, () => failing(() => parseExpression(`"${"a".repeat(4095)}`))],
  [
    "filter: two long texts, 25 times",
    20,
    () => compileExpression(longTexts)({ a: "Éạ".repeat(2000), b: "ạÉ".repeat(2000) }),
  ],
  [
    "filter: 3000 texts, 50 times",
    20,
    () => compileExpression(shortTexts)({ a: Array<Json>(3000).fill("é") }),
  ],
  [
    "filter: 1200 dates, 50 times",
    20,
    () => compileExpression(dates)({ a: Array<Json>(1200).fill("2024-01-30") }),
  ],
  ["user with 32,000 numbers", 10, () => failing(() => userCheck.whole(list, defaultRecordRules))],
  [
    "user with 7,000 fields",
    10,
    () => failing(() => userCheck.whole({ name: "Ada", ...fields }, defaultRecordRules)),
  ],
  ["patch of 7,000 fields", 10, () => userCheck.patch(fields, 1)],
];

function failing(work: () => unknown): void {
  try {
    work();
  } catch {
    return;
  }
  throw new Error("This input is not rejected.");
}

/** The least CPU time of the rounds, in milliseconds: without compilation, garbage collection and other processes. */
function measure(work: () => unknown): number {
  const times = Array.from({ length: numbers.rounds }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

const results = inputs.map(([name, targetMs, work]) => ({ name, ms: measure(work), targetMs }));
print(json, { rounds: numbers.rounds, results, met: results.every(({ ms, targetMs }) => ms <= targetMs) }, [
  ["input", "CPU ms", "target", ""],
  ...results.map(({ name, ms, targetMs }) => [name, ms.toFixed(2), `≤ ${targetMs}`, verdict(ms <= targetMs)]),
]);
