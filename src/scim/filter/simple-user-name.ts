import { isStandInName } from "../../domain/users/stand-in-name.ts";

/** Without characters that a text escapes or cannot have, and short enough for every limit. */
const SIMPLE = /^username eq "([^"\\\p{Cc}\p{Cs}]{0,320})"$/iu;

/**
 * The user name that a filter compares, if it has the form in which provisioning clients look for a user: `userName eq "…"`. Then
 * `parseUserFilter` finds the same, and takes 9 µs. Undefined for all other filters.
 */
export function findSimpleUserName(filter: string): string | undefined {
  const name = SIMPLE.exec(filter)?.[1];
  return name === undefined || isStandInName(name) ? undefined : name;
}
