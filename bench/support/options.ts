import { parseArgs } from "node:util";

/** Reads a script's flags: numbers with defaults, and `--json`. Throws on unknown flags. */
export function readOptions<Name extends string>(defaults: Readonly<Record<Name, number>>) {
  const { numbers, json } = readOptionsWithTexts(defaults, {});
  return { numbers, json };
}

/** Like `readOptions`, with flags for texts too. */
export function readOptionsWithTexts<Name extends string, TextName extends string>(
  defaults: Readonly<Record<Name, number>>,
  textDefaults: Readonly<Record<TextName, string>>,
): {
  readonly numbers: Readonly<Record<Name, number>>;
  readonly texts: Readonly<Record<TextName, string>>;
  readonly json: boolean;
} {
  const names = Object.keys({ ...defaults, ...textDefaults });
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { values } = parseArgs({ options: { ...options, json: { type: "boolean" } } });
  const given = new Map<string, unknown>(Object.entries(values));
  const numbers: Record<Name, number> = { ...defaults };
  for (const name in numbers) {
    const text = given.get(name);
    if (text === undefined) continue;
    const value = Number(text);
    if (!(value > 0)) throw new RangeError(`--${name} must be a number greater than 0, not ${text}.`);
    numbers[name] = value;
  }
  const texts: Record<TextName, string> = { ...textDefaults };
  for (const name in texts) texts[name] = String(given.get(name) ?? texts[name]);
  return { numbers, texts, json: given.has("json") };
}
