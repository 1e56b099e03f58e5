import { type Environment, hideSecrets, readFlags } from "../config/config.ts";
import type { Flag } from "../config/flag.ts";
import { listSettings } from "../config/settings.ts";

/** A setting with its value and source. */
export interface EffectiveSetting {
  readonly name: string;
  readonly variable: string;
  readonly flag: Flag<unknown>;
  /** The value as written, which may be a secret; the default if the setting is not set. */
  readonly text: string;
  /** The value for display, without secrets. */
  readonly shown: string;
  /** The flag or the environment variable that sets the value, or `default`. */
  readonly from: string;
}

/** Marks a flag that is not set: no flag can have this value. */
const ABSENT = "\u0000";

/** All settings, valid or not. Throws a `ConfigError` for unknown flags. */
export function effectiveSettings(
  args: readonly string[],
  env: Environment,
  help: string,
): EffectiveSetting[] {
  const texts = listSettings().map(([name, { flag, takes, about }]) => {
    const textFlag = { ...(flag !== undefined && { flag }), takes, about, default: ABSENT };
    return [name, { ...textFlag, parse: (text: string) => text }] as const;
  });
  const byFlag = readFlags(Object.fromEntries(texts), args, {}, help);
  return listSettings().map(([name, setting]) => {
    const { env: variable, flag, default: defaultText } = setting;
    const flagText = byFlag[name];
    const fromFlag = flagText !== undefined && flagText !== ABSENT;
    const text = fromFlag ? flagText : env[variable] || defaultText;
    const from = fromFlag ? `--${flag}` : env[variable] ? variable : "default";
    const shown = flag === undefined && text !== "" ? "(secret)" : hideSecrets(text);
    return { name, variable, flag: setting, text, shown, from };
  });
}
