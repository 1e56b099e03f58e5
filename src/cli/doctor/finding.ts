/** The result of one check. */
export interface Finding {
  readonly check: Check;
  readonly level: Level;
  /** One line: what was found and, for a warning or a problem, what to do. */
  readonly says: string;
}

/** `problem`: the service does not work or is not safe. `warning`: it works, but may not for long. */
export type Level = "ok" | "warning" | "problem";

/** The checks, in output order. */
export type Check =
  | "versions"
  | "settings"
  | "database"
  | "schema"
  | "integrity"
  | "fields"
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
  | "scim"
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
