import type { Environment } from "../../config/config.ts";
import type { Profile } from "../profiles.ts";
import { checkAccess } from "./access.ts";
import { checkDatabase } from "./database.ts";
import type { Finding } from "./finding.ts";
import { checkLimits, checkTemp, checkVersions } from "./machine.ts";
import { checkPort } from "./port.ts";
import { checkScim } from "./scim.ts";
import { checkSettings } from "./settings.ts";
import { checkTls } from "./tls.ts";

export interface CheckOptions {
  /** Checks all of a large file for damage. */
  readonly thorough: boolean;
  /** The service, and the key, with which to check SCIM. */
  readonly profile: Profile | undefined;
  readonly help: string;
}

/** Runs all checks without changing anything. Throws a `ConfigError` for unknown flags. */
export async function runChecks(
  args: readonly string[],
  env: Environment,
  { thorough, profile, help }: CheckOptions,
): Promise<Finding[]> {
  const { config, findings } = checkSettings(args, env, help);
  // The other checks need valid settings.
  if (!config) return [checkVersions(), ...findings, checkTemp()];
  const [database, port, scim] = await Promise.all([
    checkDatabase(config, thorough),
    checkPort(config),
    checkScim(config, profile),
  ]);
  return [
    checkVersions(),
    ...findings,
    ...database.findings,
    ...checkAccess(config, database.contents),
    ...checkTls(config),
    port,
    ...scim,
    ...checkLimits(config),
    checkTemp(),
  ];
}
