import type { SchemaViolation } from "../../client/index.ts";
import { printable } from "./printable.ts";

/** One line for each error of a user. */
export function formatViolation({ id, errors }: SchemaViolation): string {
  return errors
    .map(({ pointer = "", detail }) => `user ${id}  ${printable(pointer)}  ${printable(detail)}\n`)
    .join("");
}
