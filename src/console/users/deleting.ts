import type { User } from "../../client/index.ts";

const none: ReadonlySet<number> = new Set();

export function deleteSoon(_users: readonly User[]): void {}

export function useDeleting(): ReadonlySet<number> {
  return none;
}
