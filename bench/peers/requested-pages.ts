/** What the lists of `peers` ask for, in words that each service has others for. */
import { parseTemplate } from "../support/path-template.ts";
import { listSearchedNames } from "../support/sample-users.ts";
import type { PeerKind } from "./results.ts";

export const PAGE_SIZE = 20;

export type ListKind = Exclude<PeerKind, "one" | "create">;

/** One page of a list in the order of ids. The texts can have places, see `path-template.ts`. */
export interface RequestedPage {
  /** The page begins after the user of this number. */
  readonly after?: string | undefined;
  /** How many users precede the page. */
  readonly offset?: string | undefined;
  /** Part of the name or of the email. */
  readonly search?: string | undefined;
}

/** Whole pages: PocketBase counts pages. */
const OFFSETS = Array.from({ length: 100 }, (_, page) => 8000 + page * PAGE_SIZE);

/**
 * Every request asks for something else, except those for the same 20: services may keep the pages that callers repeat. `users` should be a
 * power of ten: then one email has each text of `rare`.
 */
export function requestedPages(users: number): Readonly<Record<ListKind, RequestedPage>> {
  // Half of the users follow: even the pages of rare names are full.
  const half = `{1-${Math.floor(users / 2)}}`;
  return {
    pages: { after: `{1-${users - PAGE_SIZE}}` },
    same: {},
    offset: { offset: `{${OFFSETS.join("|")}}` },
    common: { after: half, search: "{example.net|example.org}" },
    name: { after: half, search: `{${listSearchedNames().join("|")}}` },
    rare: { search: `{${Math.floor(users / 10)}-${users - 1}}@` },
  };
}

/** The page with the values of its places at this share of all values. */
export function fillPage({ after, offset, search }: RequestedPage, share: number): RequestedPage {
  const fill = (text: string | undefined) => text && parseTemplate(text)(() => share);
  return { after: fill(after), offset: fill(offset), search: fill(search) };
}

/** A text with other numbers, in places too. */
export function mapNumbers(text: string, map: (number: number) => number): string {
  return text.replaceAll(/\d+/g, (number) => String(map(Number(number))));
}
