import type { Flags } from "../../config/config.ts";

/** Separates the arguments of these flags, with their values, from all others. */
export function splitFlags(flags: Flags, args: readonly string[]): { own: string[]; others: string[] } {
  const own: string[] = [];
  const others: string[] = [];
  const remaining = [...args];
  for (let arg = remaining.shift(); arg !== undefined; arg = remaining.shift()) {
    const [name = ""] = arg.startsWith("--") ? arg.split("=", 1) : [arg.slice(0, 2)];
    const flag = Object.values(flags).find(({ flag, short }) => name === `--${flag}` || name === `-${short}`);
    (flag ? own : others).push(arg);
    const value = flag && flag.form !== "switch" && name === arg ? remaining.shift() : undefined;
    if (value !== undefined) own.push(value);
  }
  return { own, others };
}
