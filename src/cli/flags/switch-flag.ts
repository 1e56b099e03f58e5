import type { Flag } from "../../config/flag.ts";

/** A flag without a value: true if it is written. */
export function switchFlag(flag: string, about: string): Flag<boolean> & { flag: string; form: "switch" } {
  return { flag, form: "switch", default: "", takes: "no value", about, parse: (text) => text === "true" };
}
