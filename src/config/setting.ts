import type { Flag } from "./flag.ts";

/** A flag that is also an environment variable, and has a default. */
export interface Setting<T> extends Flag<T> {
  readonly env: string;
  readonly default: string;
}

export function wholeNumber(
  env: string,
  flag: string,
  defaultValue: number,
  minimum: number,
  maximum: number,
  about: string,
): Setting<number> {
  return { env, flag, default: String(defaultValue), about, ...wholeNumberIn(minimum, maximum) };
}

/** What a flag takes whose value is a whole number in this range. */
export function wholeNumberIn(minimum: number, maximum: number): Pick<Flag<number>, "takes" | "parse"> {
  return {
    takes: `a whole number from ${minimum} to ${maximum}`,
    parse(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= minimum && value <= maximum)) throw new RangeError(text);
      return value;
    },
  };
}

export function text(
  env: string,
  flag: string,
  defaultValue: string,
  takes: string,
  about: string,
): Setting<string> {
  return { env, flag, default: defaultValue, takes, about, parse: (value) => value };
}

export function oneOf<const T extends string>(
  env: string,
  flag: string,
  defaultValue: T,
  choices: readonly T[],
  about: string,
): Setting<T> {
  const parse = (text: string) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new RangeError(text);
    return choice;
  };
  return {
    env,
    flag,
    default: defaultValue,
    takes: listChoices(choices),
    choices,
    about,
    parse,
  };
}

/** `` `auto`, `json` or `text` `` */
function listChoices(choices: readonly string[]): string {
  return choices
    .map((choice) => `\`${choice}\``)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " or ");
}
