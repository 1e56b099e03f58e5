import { messageUrns } from "../../src/contract/scim/scim.ts";
import type { Subject } from "../request-costs/comparisons.ts";

/** Resources of a page. */
export const PAGE = 100;

/** The value of the parameter `filter`. */
export function filterOf(attribute: string, value: string): string {
  return encodeURIComponent(`${attribute} eq ${JSON.stringify(value)}`);
}

/** The body of a PATCH with one operation. */
export function patchOf(operation: object): object {
  return { schemas: [messageUrns.patch], Operations: [operation] };
}

/** Reads all users in pages, one after the other. A page tells the cursor of the next one. */
export function readAll(
  name: string,
  users: number,
  readPage: (start: number, cursor: string) => Promise<unknown>,
): Subject {
  const pages = Math.ceil(users / PAGE);
  return {
    name,
    count: pages,
    async run() {
      let cursor = "";
      for (let page = 0; page < pages; page++) {
        cursor = Object(await readPage(1 + page * PAGE, cursor)).nextCursor ?? "";
      }
      return undefined;
    },
  };
}
