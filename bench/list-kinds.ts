import type { BareKind } from "./list-plans/bare-list.ts";
import { knownValues } from "./support/sample-users.ts";

const { commonName, matchesAll, rareName, rareOfCommonParts, commonDepartment, rareDepartment, graduates } =
  knownValues;
const common = `department=${commonDepartment}`;
const commonWords = `${matchesAll}+${commonName}`;
/** Two last names: nobody has both. */
const wordsOfNobody = "anderson+garcia";
const overlapping = `${common}&level=3`;
const hardlyOverlapping = `department=${graduates.department}&level=${graduates.level}`;

/** Every kind of list: its name and query. */
export const listKinds: Readonly<Record<string, string>> = {
  plain: "",
  "largest page": "limit=1000",
  "deepest offset": "offset=10000",
  ...Object.fromEntries(
    ["id", "name", "email", "createdAt", "updatedAt"].flatMap((field) => [
      [`by ${field}`, `sort=${field}`],
      [`by ${field}, descending`, `sort=-${field}`],
    ]),
  ),
  "by name, deepest offset": "sort=name&offset=10000",
  "search: rare": `q=${rareName}`,
  "search: common": `q=${commonName}`,
  "search: matches all": `q=${matchesAll}`,
  "search: no match": "q=xyzzyxyz",
  "search: rare, common trigrams": `q=${rareOfCommonParts}`,
  "search: 1 character": "q=a",
  "search: 2 characters": "q=an",
  "search: 3 characters": "q=son",
  "search: long": "q=anna.anderson@example.communications.example.org.of.the.whole.world",
  "search: rare and common word": `q=${rareName}+${commonName}`,
  "search: two common words": `q=${commonWords}`,
  "search: common words, no match": `q=${wordsOfNobody}`,
  "search: rare, by name": `q=${rareName}&sort=name`,
  "search: common, by name": `q=${commonName}&sort=name`,
  "search: matches all, by name": `q=${matchesAll}&sort=name`,
  "search: rare and common word, by name": `q=${rareName}+${commonName}&sort=name`,
  "search: two common words, by name": `q=${commonWords}&sort=name`,
  "search: common words, no match, by name": `q=${wordsOfNobody}&sort=name`,
  "search: 1 character, by -createdAt": "q=a&sort=-createdAt",
  "search: rare, common trigrams, by name": `q=${rareOfCommonParts}&sort=name`,
  "search: matches all, deepest offset": `q=${matchesAll}&offset=10000`,
  "search: matches all, by name, deepest offset": `q=${matchesAll}&sort=name&offset=10000`,
  "filter: common": common,
  "filter: rare": `department=${rareDepartment}`,
  "filter: no match": "department=Nowhere",
  "filter: common, by name": `${common}&sort=name`,
  "filter: common, deepest offset": `${common}&offset=10000`,
  "filter: any of 3 values": `${common}&department=Sales&department=Legal`,
  "filters: two that overlap": overlapping,
  "filters: two that overlap, by -createdAt": `${overlapping}&sort=-createdAt`,
  "filters: two that hardly overlap": hardlyOverlapping,
  "filters: hardly overlap, by -createdAt": `${hardlyOverlapping}&sort=-createdAt`,
  "filter and search": `${common}&q=${commonName}`,
  "filter and search, by -name": `${common}&q=${matchesAll}&sort=-name`,
  "count: plain": "count=true",
  "count: filter common": `${common}&count=true`,
  "count: filters that overlap": `${overlapping}&count=true`,
  "count: filters that hardly overlap": `${hardlyOverlapping}&count=true`,
  "count: search common": `q=${commonName}&count=true`,
  "count: search two common words": `q=${commonWords}&count=true`,
  "count: search matches all": `q=${matchesAll}&count=true`,
  "count: search 1 character": "q=a&count=true",
  "count: filter and search": `${common}&q=${matchesAll}&count=true`,
};

/** What a filter expression means in bare SQL, by the name of its kind, for `list-plans`. */
export const bareKinds: Readonly<Record<string, BareKind>> = {};

/** A page of 20, unless the query has a limit. */
export function withLimit(query: string): string {
  return `${/(^|&)limit=/.test(query) ? "" : "limit=20&"}${query}`.replace(/&$/, "");
}

/** Lists to follow page by page. */
export const followedLists: Readonly<Record<string, string>> = {
  "20 pages: plain": "",
  "20 pages: by name": "sort=name",
  "20 pages: search common, by name": `q=${commonName}&sort=name`,
  "20 pages: filters that hardly overlap": hardlyOverlapping,
  "20 pages: hardly overlap, by -createdAt": `${hardlyOverlapping}&sort=-createdAt`,
};
