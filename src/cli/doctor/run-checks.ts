import type { Environment } from "../../config/config.ts";
import { checkAccess } from "./access.ts";
import { checkDatabase } from "./database.ts";
import type { Finding } from "./finding.ts";
import { checkLimits, checkTemp, checkVersions } from "./machine.ts";
import { checkPort } from "./port.ts";
import { checkSettings } from "./settings.ts";
import { checkTls } from "./tls.ts";

/** Runs all checks without changing anything. Throws a `ConfigError` for unknown flags. */
export async function runChecks(
  args: readonly string[],
  env: Environment,
  thorough: boolean,
  help: string,
): Promise<Finding[]> {
  const { config, findings } = checkSettings(args, env, help);
  // The other checks need valid settings.
  if (!config) return [checkVersions(), ...findings, checkTemp()];
  const [database, port] = await Promise.all([checkDatabase(config, thorough), checkPort(config)]);
  return [
    checkVersions(),
    ...findings,
    ...database.findings,
    ...checkAccess(config, database.contents),
    ...checkTls(config),
    port,
    ...checkLimits(config),
    checkTemp(),
  ];
}
