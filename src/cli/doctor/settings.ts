import { type Config, ConfigError, type Environment, readConfig, readFlags } from "../../config/config.ts";
import { closestMatch } from "../closest-match.ts";
import { type EffectiveSetting, effectiveSettings } from "../effective-settings.ts";
import { serviceFlags } from "../flags/service-flags.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

export interface SettingsFound {
  /** Undefined where the settings cannot be used. */
  readonly config: Config | undefined;
  readonly findings: readonly Finding[];
}

/** Every fault of the settings at once. Fails with a `ConfigError` for flags that there are not. */
export function checkSettings(args: readonly string[], env: Environment, help: string): SettingsFound {
  const given = effectiveSettings(args, env, help);
  const faults = given.flatMap((setting) => faultOf(setting, env));
  const strangers = strangersIn(env, given);
  if (faults.length > 0) return { config: undefined, findings: [...faults, ...strangers] };
  try {
    const config = readConfig(args, env);
    const changed = given.filter(({ from }) => from !== "default").map(({ from }) => from);
    const says = `Every setting can be used: ${changed.length === 0 ? "all are the defaults" : `${changed.join(", ")}, else the defaults`}.`;
    return { config, findings: [ok("settings", says), ...strangers] };
  } catch (error) {
    // Each can be used, but not together.
    if (!(error instanceof ConfigError)) throw error;
    return { config: undefined, findings: [problem("settings", error.message), ...strangers] };
  }
}

function faultOf({ name, flag, from, text }: EffectiveSetting, env: Environment): Finding[] {
  try {
    readFlags({ [name]: flag }, from.startsWith("--") ? [`${from}=${text}`] : [], env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem("settings", error.message)];
  }
}

/** A name that is nearly right would be read by nobody, and nobody would say so. */
function strangersIn(env: Environment, given: readonly EffectiveSetting[]): Finding[] {
  const known = [...given.map(({ variable }) => variable), serviceFlags.url.env];
  return Object.keys(env)
    .filter((name) => name.startsWith("ROSTER_") && !known.includes(name))
    .map((name) => {
      const near = closestMatch(name, known);
      const cure = near === undefined ? "remove it" : `${near} may be meant`;
      return warning("settings", `${name} is in the environment, and is no setting: ${cure}.`);
    });
}
