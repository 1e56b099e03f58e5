import type { Environment } from "../../config/config.ts";
import { checkAccess } from "./access.ts";
import { checkDatabase } from "./database.ts";
import type { Finding } from "./finding.ts";
import { checkLimits, checkTemp, checkVersions } from "./machine.ts";
import { checkPort } from "./port.ts";
import { checkSettings } from "./settings.ts";
import { checkTls } from "./tls.ts";

/** All that is found. Changes nothing. Fails with a `ConfigError` for flags that there are not. */
export async function runChecks(
  args: readonly string[],
  env: Environment,
  thorough: boolean,
  help: string,
): Promise<Finding[]> {
  const { config, findings } = checkSettings(args, env, help);
  // With settings that cannot be used, nothing that follows from them can be looked at.
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
