import { type Environment, hideSecrets, readFlags } from "../config/config.ts";
import type { Flag } from "../config/flag.ts";
import { listSettings } from "../config/settings.ts";

/** One setting, as it was given or not. */
export interface EffectiveSetting {
  readonly name: string;
  readonly variable: string;
  readonly flag: Flag<unknown>;
  /** As it is written, which may be a secret; the default where nothing was said. */
  readonly text: string;
  /** The same for people to read. */
  readonly shown: string;
  /** The flag or the variable that says so, or `default`. */
  readonly from: string;
}

/** What no flag can be: tells one that was not given. */
const ABSENT = "\u0000";

/** Every setting, whether it can be used or not. Fails with a `ConfigError` for flags that there are not. */
export function effectiveSettings(
  args: readonly string[],
  env: Environment,
  help: string,
): EffectiveSetting[] {
  const texts = listSettings().map(([name, { flag, takes, about }]) => {
    const given = { ...(flag !== undefined && { flag }), takes, about, default: ABSENT };
    return [name, { ...given, parse: (text: string) => text }] as const;
  });
  const byFlag = readFlags(Object.fromEntries(texts), args, {}, help);
  return listSettings().map(([name, setting]) => {
    const { env: variable, flag, default: standard } = setting;
    const said = byFlag[name];
    const fromFlag = said !== undefined && said !== ABSENT;
    const text = fromFlag ? said : env[variable] || standard;
    const from = fromFlag ? `--${flag}` : env[variable] ? variable : "default";
    const shown = flag === undefined && text !== "" ? "(secret)" : hideSecrets(text);
    return { name, variable, flag: setting, text, shown, from };
  });
}
