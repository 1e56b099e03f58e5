import { parseArgs } from "node:util";
import { redactSecrets } from "../contract/key-secret.ts";
import { DatabaseUrlError } from "./database-url.ts";
import type { Flag } from "./flag.ts";
import { settings } from "./settings.ts";

/** A setting that cannot be used; the message is one line that says what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A flag that there is not. Whoever tells of it may know which was meant. */
export class UnknownFlagError extends ConfigError {
  constructor(
    readonly flag: string,
    readonly known: readonly string[],
    readonly help: string,
  ) {
    super(`There is no option ${flag}. See ${help}.`);
  }
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
/** What the flags of a table say. */
export type Values<T extends Flags> = { readonly [Name in keyof T]: ReturnType<T[Name]["parse"]> };
export type Environment = Readonly<Record<string, string | undefined>>;

export type Config = Values<typeof settings>;

/** Every setting. Fails with a `ConfigError`. */
export function readConfig(args: readonly string[], env: Environment): Config {
  const config = readFlags(settings, args, env);
  checkCombinations(config);
  return config;
}

/**
 * Flags win over the environment, the environment over the defaults. Fails with a `ConfigError`, which says where `help`
 * is to be had.
 */
export function readFlags<T extends Flags>(
  table: T,
  args: readonly string[],
  env: Environment,
  help = "roster --help",
): Values<T> {
  const given = parseFlags(table, args, help);
  const entries = Object.entries(table).map(([name, flag]) => {
    const text = flag.flag && given[flag.flag];
    if (text !== undefined) return [name, check(flag, text, flagName(flag))];
    return [name, check(flag, (flag.env && env[flag.env]) || flag.default, flag.env ?? flagName(flag))];
  });
  const values: Values<T> = Object.fromEntries(entries);
  return Object.freeze(values);
}

const BYTE = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const LOOPBACK = new RegExp(`^(([a-z0-9-]+\\.)*localhost|127(\\.${BYTE}){3}|::1|\\[::1\\])$`, "i");

/** Whether only programs on this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function checkCombinations({ auth, apiKey, tlsCert, tlsKey }: Config): void {
  if (auth === "off" && apiKey !== undefined) {
    throw new ConfigError(
      "ROSTER_AUTH=off would let in whoever reaches the port, and ROSTER_API_KEY would protect nothing: remove one of them.",
    );
  }
  if ((tlsCert === "") !== (tlsKey === "")) {
    throw new ConfigError(
      "ROSTER_TLS_CERT and ROSTER_TLS_KEY belong together: set both to serve https, or neither.",
    );
  }
}

/** As it is written on the command line, or as the variable where it is never written there. */
export function flagName({ flag, form, env = "" }: Flag<unknown>): string {
  if (flag === undefined) return env;
  return form === "word" || form === "words" ? flag.toUpperCase() : `--${flag}`;
}

function parseFlags(table: Flags, args: readonly string[], help: string): Record<string, string | undefined> {
  const flags = Object.values(table).flatMap(({ flag, form }) => (flag ? [{ flag, form }] : []));
  const words = flags.filter(({ form }) => form === "word").map(({ flag }) => flag);
  const rest = flags.find(({ form }) => form === "words")?.flag;
  const options = Object.fromEntries(
    flags
      .filter(({ form }) => form !== "word" && form !== "words")
      .map(({ flag, form }) => {
        const type = form === "switch" ? ("boolean" as const) : ("string" as const);
        return [flag, { type, multiple: form === "list" }];
      }),
  );
  const joined = joinValues(args, options);
  try {
    const allowPositionals = words.length > 0 || rest !== undefined;
    const { values, positionals } = parseArgs({ args: joined, options, strict: true, allowPositionals });
    const extra = positionals[words.length];
    if (extra !== undefined && rest === undefined) throw new Error(`Unexpected argument '${extra}'`);
    const named = Object.entries(values).map(([flag, value]) => [flag, String(value)]);
    const placed = words.map((word, place) => [word, positionals[place]]);
    const others = positionals.slice(words.length);
    if (rest !== undefined && others.length > 0) placed.push([rest, others.join("\u0000")]);
    return Object.fromEntries([...named, ...placed]);
  } catch (error) {
    const said = hideSecrets(error instanceof Error ? error.message : String(error));
    const [, unknown] = /^Unknown option '(.+?)'/.exec(said) ?? [];
    const known = [...Object.keys(options), "help"].map((flag) => `--${flag}`);
    if (unknown !== undefined) throw new UnknownFlagError(unknown, known, help);
    const [reason] = said.replace("is ambiguous", "missing").split(/\.\s/);
    throw new ConfigError(`${reason}. See ${help}.`);
  }
}

/** `--sort -name` as `--sort=-name`: a value may begin with one dash, which `parseArgs` takes in that form alone. */
function joinValues(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: "boolean" | "string" }>>,
): string[] {
  const joined: string[] = [];
  let named = true;
  for (const arg of args) {
    const before = joined.at(-1) ?? "";
    const due = named && before.startsWith("--") && options[before.slice(2)]?.type === "string";
    if (due && /^-[^-]/.test(arg)) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
    // What follows has no names.
    if (arg === "--") named = false;
  }
  return joined;
}

function check(flag: Flag<unknown>, text: string | undefined, source: string): unknown {
  if (text === undefined) throw new ConfigError(`${source} is missing: it takes ${flag.takes}.`);
  try {
    return flag.parse(text);
  } catch (error) {
    // Where a password is in such a URL cannot be told for certain when something is wrong with it.
    if (error instanceof DatabaseUrlError)
      throw new ConfigError(`${source} cannot be used: ${error.message}.`);
    const shown = flag.flag ? `${source}=${hideSecrets(text)}` : source;
    throw new ConfigError(`${shown} cannot be used: it takes ${flag.takes}.`);
  }
}

/** Of anything that looks like a URL, and of any key. */
export function hideSecrets(text: string): string {
  return redactSecrets(text.replace(/(:\/\/[^:@/]*):.*@/s, "$1:…@"));
}
