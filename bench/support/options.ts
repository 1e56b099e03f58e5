import { parseArgs } from "node:util";

/** The numbers that a script takes as flags, with their defaults, and `--json`. A flag it does not know ends it. */
export function readOptions<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
): { readonly numbers: Readonly<Record<Name, number>>; readonly json: boolean } {
  const names = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: "string" as const }]));
  const { values } = parseArgs({ options: { ...names, json: { type: "boolean" } } });
  const numbers: Record<Name, number> = { ...defaults };
  for (const name in numbers) {
    const given: unknown = Object.entries(values).find(([flag]) => flag === name)?.[1];
    if (given === undefined) continue;
    const value = Number(given);
    if (!(value > 0)) throw new RangeError(`--${name} takes a number over 0, not ${given}.`);
    numbers[name] = value;
  }
  return { numbers, json: Object.hasOwn(values, "json") };
}
