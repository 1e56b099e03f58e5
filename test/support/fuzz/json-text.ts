import { oddNumber, oddText } from "./odd-text.ts";
import type { Random } from "./random.ts";

/** A string in JSON, valid or not. */
export function jsonString(random: Random): string {
  const text = oddText(random);
  if (random.chance(0.9)) return JSON.stringify(text);
  return random.pick([`"${text}"`, '"\\ud800"', '"\\u12"', '"\\x41"', `'${text}'`, '"open', '"\\u0000"']);
}

/** A JSON value, sometimes invalid. */
export function jsonValue(random: Random, depth = 0): string {
  const kind = random.weighted({ text: 40, number: 20, word: 15, array: 10, object: 10, odd: 3 });
  if (kind === "text") return jsonString(random);
  if (kind === "number") return oddNumber(random);
  if (kind === "word") return random.pick(["true", "false", "null"]);
  if (kind === "odd") {
    const levels = random.pick([10, 64, 65, 500, 5000]);
    return random.pick([
      "[".repeat(levels) + "]".repeat(levels),
      `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`,
      "[".repeat(levels),
      "",
      "NaN",
      "undefined",
      "1e400",
      "-",
      "[1,]",
      `"${"a".repeat(random.pick([1000, 16_384, 70_000]))}"`,
    ]);
  }
  const items = depth > 3 ? [] : random.several(0, 4, () => jsonValue(random, depth + 1));
  return kind === "array"
    ? `[${items.join(",")}]`
    : `{${items.map((item) => `${jsonString(random)}:${item}`).join(",")}}`;
}

export const validValue = (random: Random) =>
  random.pick([
    "1",
    "2.5",
    "true",
    "null",
    '"text"',
    "[1,2]",
    '{"a":1}',
    String(random.between(-1000, 1000)),
  ]);

/** The members of an object, with values as JSON. A list of pairs can have a name twice, and names that objects cannot have. */
export type JsonMembers = readonly (readonly [name: string, value: string])[];

export function formatMembers(members: JsonMembers, separator = ","): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(separator)}}`;
}

/** An object with these members. Sometimes a member comes twice, is missing, or follows a wrong separator. */
export function jsonMembers(random: Random, members: JsonMembers): string {
  const [first] = members;
  const changed = first && random.chance(0.05) ? [...members, first] : [...members];
  if (random.chance(0.05)) changed.splice(random.below(changed.length + 1), 1);
  return formatMembers(changed, random.chance(0.03) ? ";" : ",");
}

export const jsonObject = (random: Random, fields: Readonly<Record<string, string>>) =>
  jsonMembers(random, Object.entries(fields));
