import { parseArgs } from "node:util";
import { redactSecrets } from "../contract/keys/key-secret.ts";
import { DatabaseUrlError } from "./database-url.ts";
import type { Flag, FlagSource } from "./flag.ts";
import { settings } from "./settings.ts";

/** An invalid setting or flag. The message is one line that says what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** An unknown flag, with the valid ones and the positional arguments for a suggestion. */
export class UnknownFlagError extends ConfigError {
  constructor(
    readonly flag: string,
    readonly validFlags: readonly string[],
    readonly positionals: readonly string[],
    readonly help: string,
  ) {
    super(`Unknown option ${flag}. See ${help}.`);
  }
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
/** The parsed values of a table of flags. */
export type Values<T extends Flags> = { readonly [Name in keyof T]: ReturnType<T[Name]["parse"]> };
export type Environment = Readonly<Record<string, string | undefined>>;

export type Config = Values<typeof settings>;

/** Reads every setting. Throws a `ConfigError`. */
export function readConfig(args: readonly string[], env: Environment): Config {
  const config = readFlags(settings, args, env);
  checkCombinations(config);
  return config;
}

/**
 * Reads flags. A flag takes precedence over its environment variable, the variable over the default. Throws a
 * `ConfigError`, which names the command `help` if the flags cannot be parsed.
 */
export function readFlags<T extends Flags>(
  table: T,
  args: readonly string[],
  env: Environment,
  help = "roster --help",
): Values<T> {
  const flagTexts = parseFlags(table, args, help);
  const entries = Object.entries(table).map(([name, flag]) => {
    const text = flag.flag && flagTexts[flag.flag];
    if (text !== undefined) return [name, check(flag, text, flagName(flag), "flag")];
    const variable = flag.env && env[flag.env];
    if (variable) return [name, check(flag, variable, flag.env ?? "", "variable")];
    return [name, check(flag, flag.default, flag.env ?? flagName(flag), "default")];
  });
  const values: Values<T> = Object.fromEntries(entries);
  return Object.freeze(values);
}

const BYTE = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const LOOPBACK = new RegExp(`^(([a-z0-9-]+\\.)*localhost|127(\\.${BYTE}){3}|::1|\\[::1\\])$`, "i");

/** Whether only programs on this machine can connect to this address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function checkCombinations({ auth, apiKey, tlsCert, tlsKey }: Config): void {
  if (auth === "off" && apiKey !== undefined) {
    throw new ConfigError(
      "ROSTER_AUTH=off lets everyone in who reaches the port, and ROSTER_API_KEY protects nothing then. Remove one of them.",
    );
  }
  if ((tlsCert === "") !== (tlsKey === "")) {
    throw new ConfigError("Set both ROSTER_TLS_CERT and ROSTER_TLS_KEY to serve HTTPS, or neither.");
  }
}

/** The flag as written on the command line: `--name`, or `NAME` if positional. The environment variable if there is no flag. */
export function flagName({ flag, form, env = "" }: Flag<unknown>): string {
  if (flag === undefined) return env;
  return form === "word" || form === "words" ? flag.toUpperCase() : `--${flag}`;
}

function parseFlags(table: Flags, args: readonly string[], help: string): Record<string, string | undefined> {
  const flags = Object.values(table).flatMap(({ flag, form, short }) =>
    flag ? [{ flag, form, short }] : [],
  );
  const positionalNames = flags
    .filter(({ form }) => form === "word" || form === "named-word")
    .map(({ flag }) => flag);
  const restName = flags.find(({ form }) => form === "words")?.flag;
  const options = Object.fromEntries(
    flags
      .filter(({ form }) => form !== "word" && form !== "words")
      .map(({ flag, form, short }) => {
        const type = form === "switch" ? ("boolean" as const) : ("string" as const);
        const multiple = form === "list" || form === "repeated";
        return [flag, { type, multiple, ...(short !== undefined && { short }) }];
      }),
  );
  const joined = joinValues(args, options);
  try {
    const allowPositionals = positionalNames.length > 0 || restName !== undefined;
    const { values, positionals } = parseArgs({ args: joined, options, strict: true, allowPositionals });
    const extra = positionals[positionalNames.length];
    if (extra !== undefined && restName === undefined) throw new Error(`Unexpected argument '${extra}'`);
    const texts: Record<string, string> = {};
    for (const { flag, form } of flags) {
      const value = values[flag];
      if (value !== undefined)
        texts[flag] = Array.isArray(value) && form === "repeated" ? value.join("\u0000") : String(value);
    }
    for (const [index, name] of positionalNames.entries()) {
      const text = positionals[index];
      if (text === undefined) continue;
      const other = texts[name] ?? text;
      if (other !== text) throw new Error(`Choose '${text}' or --${name} '${other}', not both`);
      texts[name] = text;
    }
    const remaining = positionals.slice(positionalNames.length);
    if (restName !== undefined && remaining.length > 0) texts[restName] = remaining.join("\u0000");
    return texts;
  } catch (error) {
    const message = hideSecrets(error instanceof Error ? error.message : String(error));
    const [, unknown] = /^Unknown option '(.+?)'/.exec(message) ?? [];
    const validFlags = [...Object.keys(options), "help"].map((flag) => `--${flag}`);
    if (unknown !== undefined) throw new UnknownFlagError(unknown, validFlags, positionalNames, help);
    throw new ConfigError(`${describeParseError(message)}. See ${help}.`);
  }
}

/** The first sentence of an error of `parseArgs`, in shorter words. */
function describeParseError(message: string): string {
  const [, flag, reason] = /^Option '(?:-\w, )?(--[\w-]+)[^']*' (argument|does not take)/.exec(message) ?? [];
  if (flag !== undefined) return `${flag} ${reason === "argument" ? "needs a value" : "takes no value"}`;
  return message.split(/\.\s/)[0] ?? message;
}

/** Turns `--sort -name` into `--sort=-name`: `parseArgs` accepts a value that begins with a dash only in that form. */
function joinValues(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: "boolean" | "string" }>>,
): string[] {
  const joined: string[] = [];
  let optionsAllowed = true;
  for (const arg of args) {
    const previous = joined.at(-1) ?? "";
    const expectsValue =
      optionsAllowed && previous.startsWith("--") && options[previous.slice(2)]?.type === "string";
    if (expectsValue && /^-[^-]/.test(arg)) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
    // Only positional arguments follow.
    if (arg === "--") optionsAllowed = false;
  }
  return joined;
}

function check(flag: Flag<unknown>, text: string | undefined, name: string, source: FlagSource): unknown {
  if (text === undefined) throw new ConfigError(`${name} is required. Use ${flag.takes}.`);
  try {
    return flag.parse(text, source);
  } catch (error) {
    // Show no part of an invalid database URL: any part may be the password.
    if (error instanceof DatabaseUrlError) throw new ConfigError(`${name} is invalid: ${error.message}.`);
    const shown = flag.flag ? `${name}=${hideSecrets(text.replaceAll("\u0000", " "))}` : name;
    throw new ConfigError(`${shown} is invalid. Use ${flag.takes}.`);
  }
}

/** Removes the passwords of URLs, and API keys. */
export function hideSecrets(text: string): string {
  return redactSecrets(text.replace(/(:\/\/[^:@/]*):.*@/s, "$1:…@"));
}
