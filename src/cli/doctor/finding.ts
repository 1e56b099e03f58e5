/** How it is with one thing that a service needs. */
export interface Finding {
  readonly check: Check;
  readonly level: Level;
  /** One line; of what is not in order, also what to do. */
  readonly says: string;
}

/** `warning`: it works, but is not as it should be, or will not work for long. `problem`: it does not work, or is not safe. */
export type Level = "ok" | "warning" | "problem";

/** What is looked at, in the order in which it is told. */
export type Check =
  | "versions"
  | "settings"
  | "database"
  | "schema"
  | "integrity"
  | "file"
  | "permissions"
  | "disk"
  | "move"
  | "rights"
  | "connections"
  | "clock"
  | "access"
  | "keys"
  | "tls"
  | "port"
  | "limits"
  | "temp";

export function ok(check: Check, says: string): Finding {
  return { check, level: "ok", says };
}

export function warning(check: Check, says: string): Finding {
  return { check, level: "warning", says };
}

export function problem(check: Check, says: string): Finding {
  return { check, level: "problem", says };
}
