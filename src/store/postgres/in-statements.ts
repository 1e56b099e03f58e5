import type { Steps } from "../../domain/scheduling/steps.ts";

/** Approximate size of the rows in a statement. It takes less than a millisecond to encode and send. */
const STATEMENT_CHARACTERS = 131_072;

/** Approximate sizes of what rows have besides their JSON. */
export const RECORD_CHARACTERS = 400;
export const VALUE_CHARACTERS = 60;
export const EVENT_CHARACTERS = 200;

/** Sends a statement of a batch. */
export type Send = (text: string, values: string[]) => void;

/** Calls `write` with as many of the items as fit into a statement, until all are written. */
export function* inStatements<T>(
  items: Iterable<T>,
  sizeOf: (item: T) => number,
  write: (items: T[], isLast: boolean) => void,
): Steps<void> {
  let group: T[] = [];
  let size = 0;
  for (const item of items) {
    const itemSize = sizeOf(item);
    if (group.length > 0 && size + itemSize > STATEMENT_CHARACTERS) {
      write(group, false);
      group = [];
      size = 0;
    }
    group.push(item);
    size += itemSize;
    yield;
  }
  if (group.length > 0) write(group, true);
}
