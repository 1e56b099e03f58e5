import { type Config, ConfigError, type Environment, readConfig, readFlags } from "../../config/config.ts";
import { type EffectiveSetting, effectiveSettings } from "../effective-settings.ts";
import { findUnknownVariables } from "../unknown-variables.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

export interface SettingsResult {
  /** Undefined if the settings are invalid. */
  readonly config: Config | undefined;
  readonly findings: readonly Finding[];
}

/** Finds all invalid settings. Throws a `ConfigError` for unknown flags. */
export function checkSettings(args: readonly string[], env: Environment, help: string): SettingsResult {
  const settings = effectiveSettings(args, env, help);
  const invalid = settings.flatMap((setting) => checkSetting(setting, env));
  const unknown = findUnknownVariables(env).map((text) => warning("settings", text));
  if (invalid.length > 0) return { config: undefined, findings: [...invalid, ...unknown] };
  try {
    const config = readConfig(args, env);
    const changed = settings.filter(({ from }) => from !== "default").map(({ from }) => from);
    const says = `All settings are valid: ${changed.length === 0 ? "all defaults" : `${changed.join(", ")}, and defaults`}.`;
    return { config, findings: [ok("settings", says), ...unknown] };
  } catch (error) {
    // Each setting is valid, but their combination is not.
    if (!(error instanceof ConfigError)) throw error;
    return { config: undefined, findings: [problem("settings", error.message), ...unknown] };
  }
}

function checkSetting({ name, flag, from, text }: EffectiveSetting, env: Environment): Finding[] {
  try {
    readFlags({ [name]: flag }, from.startsWith("--") ? [`${from}=${text}`] : [], env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem("settings", error.message)];
  }
}
