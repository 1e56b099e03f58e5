import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigError, type Environment } from "../config/config.ts";
import { isObject } from "../contract/json.ts";
import { isSecret } from "../contract/keys/key-secret.ts";
import { PartialFile } from "../store/partial-file.ts";

/** A service that a person has signed in to. */
export interface Profile {
  readonly url: string;
  /** Undefined if the service requires no key. */
  readonly key?: string;
  /** Whether the key may be sent unencrypted. */
  readonly insecure?: boolean;
}

export type Profiles = ReadonlyMap<string, Profile>;

/** The profile that is used unless another one is chosen. */
export const DEFAULT_PROFILE = "default";

/** The file with all profiles, in the folder for settings of the operating system. */
export function profilesPath(env: Environment): string {
  const home = env.HOME || env.USERPROFILE || homedir();
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    win32: env.APPDATA || join(home, "AppData", "Roaming"),
    darwin: join(home, "Library", "Application Support"),
  };
  const folder = env.XDG_CONFIG_HOME || folders[process.platform] || join(home, ".config");
  return join(folder, "roster", "profiles.json");
}

/** All profiles. Throws a `ConfigError` if the file is invalid. */
export function readProfiles(env: Environment): Profiles {
  const path = profilesPath(env);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code))) {
      return new Map();
    }
    throw new ConfigError(`Cannot read ${path} (${error instanceof Error ? error.message : error}).`);
  }
  const profiles = parseProfiles(text);
  if (!profiles) throw new ConfigError(`${path} is damaged. Remove it, and sign in again with roster login.`);
  return profiles;
}

/** Writes the file so that only this person can read it. Throws a `StoreError` if it cannot be written. */
export function writeProfiles(env: Environment, profiles: Profiles): void {
  const path = profilesPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const part = new PartialFile(path, { isPrivate: true });
  try {
    writeFileSync(part.path, `${JSON.stringify(Object.fromEntries(profiles), undefined, 2)}\n`);
    part.finish(true);
  } finally {
    part.discard();
  }
}

function parseProfiles(text: string): Profiles | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const entries = Object.entries(value).map(([name, profile]) => [name, toProfile(profile)] as const);
    const valid = entries.flatMap(([name, profile]) => (profile ? [[name, profile] as const] : []));
    return valid.length === entries.length ? new Map(valid) : undefined;
  } catch {
    return undefined;
  }
}

function toProfile(value: unknown): Profile | undefined {
  if (!isObject(value)) return undefined;
  const { url, key, insecure } = value;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  if (key !== undefined && !(typeof key === "string" && isSecret(key))) return undefined;
  return { url, ...(key !== undefined && { key }), ...(insecure === true && { insecure }) };
}
