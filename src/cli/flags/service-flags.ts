import { type Client, type ClientOptions, createClient } from "../../client/index.ts";
import { ConfigError, type Environment, type Values } from "../../config/config.ts";
import type { Flag, FlagSource } from "../../config/flag.ts";
import { settings } from "../../config/settings.ts";
import { DEFAULT_PROFILE, type Profile, readProfiles } from "../profiles.ts";
import { switchFlag } from "./switch-flag.ts";

/** A value, and where it comes from. */
interface Sourced<T> {
  readonly value: T;
  readonly source: FlagSource;
}

const urlFlag = {
  flag: "url",
  env: "ROSTER_URL",
  default: "http://127.0.0.1:3000",
  takes: "the URL of a service without a username or password, such as `https://users.example`",
  about: "The URL of the service.",
  parse: (text, source) => ({ value: parseUrl(text), source }),
} as const satisfies Flag<Sourced<string>>;

const profileFlag = {
  flag: "profile",
  env: "ROSTER_PROFILE",
  default: DEFAULT_PROFILE,
  takes: "the name of a profile: 1 to 64 letters, digits, - or _",
  about: "A profile that roster login has stored: a URL and a key.",
  parse: (text, source) => ({ value: parseProfileName(text), source }),
} as const satisfies Flag<Sourced<string>>;

/** A flag of commands that work without a profile: without the flag, none is chosen. */
export function chosenProfileFlag(about: string) {
  return {
    flag: "profile",
    default: "",
    takes: profileFlag.takes,
    about,
    parse: (text) => (text === "" ? undefined : parseProfileName(text)),
  } as const satisfies Flag<string | undefined>;
}

const insecureFlag = switchFlag(
  "insecure",
  "Send the key unencrypted (http:) to another machine, on a network that you trust.",
);

const timeoutFlag = {
  flag: "timeout",
  default: "30",
  takes: "a whole number from 1 to 86400",
  about: "Timeout of a call with its retries, in seconds.",
  parse: parseSeconds,
} as const satisfies Flag<number>;

/** Flags of the commands that call a service. */
export const serviceFlags = {
  profile: profileFlag,
  url: urlFlag,
  apiKey: {
    env: settings.apiKey.env,
    default: "",
    takes: "an API key, as `roster keys create` prints it",
    about: "The API key, if the service requires one. Not a flag: other users can see the command line.",
    parse: settings.apiKey.parse,
  },
  insecure: insecureFlag,
  timeout: timeoutFlag,
} as const satisfies Record<string, Flag<unknown>>;

/** Flags of `roster login`, which reads the key itself. */
export const loginFlags = {
  url: { ...urlFlag, form: "named-word" },
  profile: { ...profileFlag, about: "The name of the profile." },
  insecure: insecureFlag,
  timeout: timeoutFlag,
} as const satisfies Record<string, Flag<unknown>>;

type ServiceOptions = Values<typeof serviceFlags>;

/** Creates a client. It reports no errors itself: the command does. Throws a `ConfigError`. */
export function openClient(options: ServiceOptions, env: Environment): Client {
  const service = resolveService(options, env);
  return withConfigErrors(() => createClient(clientOptions(service, options.timeout)));
}

/** The options of a client for a service. */
export function clientOptions({ url, key, insecure }: Profile, timeoutSeconds: number): ClientOptions {
  return {
    baseUrl: url,
    // Without a key, the client would read ROSTER_API_KEY.
    apiKey: key ?? "",
    timeout: timeoutSeconds * 1000,
    allowInsecure: insecure ?? false,
    onError: () => undefined,
    onRetry: () => undefined,
  };
}

/** Converts an error of the client's options into a `ConfigError`. */
export function withConfigErrors<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    // The client's option is a flag here.
    throw new ConfigError(`${message.replace("set allowInsecure", "add --insecure").replace(/\.?$/, ".")}`);
  }
}

/**
 * The service to call. `--url` and `--profile` take precedence over variables, and variables over the profile of
 * ROSTER_PROFILE and the default profile. The key of a profile is only sent to the URL of the profile.
 */
export function resolveService(
  { profile, url, apiKey, insecure }: ServiceOptions,
  env: Environment,
): Profile {
  const chosen = findProfile(profile, env);
  const isExplicit = profile.source === "flag";
  const usesOwnUrl = url.source === "flag" || (url.source === "variable" && !isExplicit);
  const isOfProfile = chosen !== undefined && (!usesOwnUrl || isSameUrl(chosen.url, url.value));
  const key = isOfProfile && (isExplicit || apiKey === undefined) ? chosen.key : apiKey;
  return {
    url: isOfProfile ? chosen.url : url.value,
    insecure: insecure || (isOfProfile && chosen.insecure === true),
    ...(key !== undefined && { key }),
  };
}

/** Undefined if no profile was chosen and there is no default profile. */
function findProfile({ value, source }: Sourced<string>, env: Environment): Profile | undefined {
  return source === "default" ? readProfiles(env).get(value) : requireProfile(value, env);
}

/** The profile of this name. Throws a `ConfigError` if there is none. */
export function requireProfile(name: string, env: Environment): Profile {
  const profiles = readProfiles(env);
  const profile = profiles.get(name);
  if (!profile) throw unknownProfile(name, [...profiles.keys()]);
  return profile;
}

export function unknownProfile(name: string, names: readonly string[]): ConfigError {
  const known = names.length === 0 ? "" : ` There is ${names.join(", ")}.`;
  return new ConfigError(
    `There is no profile ${name}.${known} Create it with: roster\u00a0login\u00a0--profile\u00a0${name}`,
  );
}

function isSameUrl(one: string, other: string): boolean {
  const normalize = (url: string) => new URL(url).href.replace(/\/+$/, "");
  return normalize(one) === normalize(other);
}

export function parseUrl(text: string): string {
  const { protocol, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || username || password) throw new RangeError(text);
  return text;
}

function parseProfileName(text: string): string {
  if (!/^[\w-]{1,64}$/.test(text) || text === "__proto__") throw new RangeError(text);
  return text;
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > 86_400) throw new RangeError(text);
  return seconds;
}
