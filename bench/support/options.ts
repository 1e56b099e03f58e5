import { parseArgs } from "node:util";

/** Reads a script's flags: numbers with defaults, and `--json`. Throws on unknown flags. */
export function readOptions<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
): { readonly numbers: Readonly<Record<Name, number>>; readonly json: boolean } {
  const names = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: "string" as const }]));
  const { values } = parseArgs({ options: { ...names, json: { type: "boolean" } } });
  const numbers: Record<Name, number> = { ...defaults };
  for (const name in numbers) {
    const text: unknown = Object.entries(values).find(([flag]) => flag === name)?.[1];
    if (text === undefined) continue;
    const value = Number(text);
    if (!(value > 0)) throw new RangeError(`--${name} must be a number greater than 0, not ${text}.`);
    numbers[name] = value;
  }
  return { numbers, json: Object.hasOwn(values, "json") };
}
