import { knownValues } from "../support/sample-users.ts";
import type { BareKind, IndexedFields } from "./bare-list.ts";
import type { MeasuredList } from "./measure-plans.ts";

const { commonName, matchesAll, rareName, rareOfCommonParts, commonDepartment, rareDepartment, graduates } =
  knownValues;
const common = `department=${commonDepartment}`;
const commonWords = `${matchesAll}+${commonName}`;
/** Two last names: nobody has both. */
const wordsOfNobody = "anderson+garcia";
const overlapping = `${common}&level=3`;
const hardlyOverlapping = `department=${graduates.department}&level=${graduates.level}`;

/** A list with a filter expression: its query, and the expression as comparisons of custom fields in bare SQL. */
interface ExpressionKind {
  readonly query: string;
  readonly bare: BareKind;
}

function expression(text: string, bare: BareKind, more = ""): ExpressionKind {
  return { query: `filter=${encodeURIComponent(text)}${more}`, bare };
}

const engineering: BareKind = ({ compare }) => [compare("department", "= ?", "Engineering")];
const seniors: BareKind = ({ compare }) => [compare("level", ">= ?", 3)];
const graduatesOfLevel7: BareKind = ({ compare }) => [
  compare("department", "= ?", "Graduates"),
  compare("level", "= ?", 7),
];

/** Lists with filter expressions. */
const expressionKinds: Readonly<Record<string, ExpressionKind>> = {
  "expression: common value": expression('department eq "engineering"', engineering),
  "expression: common value, by name": expression('department eq "engineering"', engineering, "&sort=name"),
  "expression: rare value": expression('department eq "archives"', ({ compare }) => [
    compare("department", "= ?", "Archives"),
  ]),
  "expression: rare value, by -level": expression(
    'department eq "archives"',
    ({ compare }) => [compare("department", "= ?", "Archives")],
    "&sort=-level",
  ),
  "expression: no match": expression('department eq "nowhere"', ({ compare }) => [
    compare("department", "= ?", "Nowhere"),
  ]),
  "expression: common range": expression("level ge 3", seniors),
  "expression: common range, by name": expression("level ge 3", seniors, "&sort=name"),
  "expression: empty range": expression("level gt 100", ({ compare }) => [compare("level", "> ?", 100)]),
  "expression: starts with": expression('department sw "eng"', ({ compare }) => [
    compare("department", ">= ?", "Eng"),
    compare("department", "< ?", "Enh"),
  ]),
  "expression: two values": expression('department eq "legal" or department eq "people"', ({ compare }) => [
    compare("department", "IN (?, ?)", "Legal", "People"),
  ]),
  "expression: value and range": expression('department eq "engineering" and level ge 3', ({ compare }) => [
    compare("department", "= ?", "Engineering"),
    compare("level", ">= ?", 3),
  ]),
  "expression: hardly overlap": expression('department eq "graduates" and level eq 7', graduatesOfLevel7),
  "expression: hardly overlap, by -createdAt": expression(
    'department eq "graduates" and level eq 7',
    graduatesOfLevel7,
    "&sort=-createdAt",
  ),
  "expression: not": expression('not (department eq "engineering")', ({ compare }) => [
    compare("department", "<> ?", "Engineering"),
  ]),
  "count: expression common": expression('department eq "engineering"', engineering, "&count=true"),
  "count: expression range": expression("level ge 3", seniors, "&count=true"),
};

/** Every kind of list: its name and query. */
export const listKinds: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(expressionKinds).map(([name, { query }]) => [name, query])),
  "by level": "sort=level",
  "by level, descending": "sort=-level",
  "by department": "sort=department",
  "filter: common, by level": `${common}&sort=level`,
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

/** Every kind of list, with what a filter expression means in bare SQL. */
export const measuredKinds: readonly MeasuredList[] = Object.entries(listKinds).map(([name, query]) => ({
  name,
  query: withLimit(query),
  bare: expressionKinds[name]?.bare,
}));

/** The custom fields of the sample users. */
export const sampleFields: IndexedFields = { department: "text", level: "integer" };

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
