import type { FieldValue, KnownValues } from "../support/known-values.ts";
import type { BareKind, IndexedFields } from "./bare-list.ts";
import type { MeasuredList } from "./measure-plans.ts";
import { memberGroups } from "./member-groups.ts";

const LEVEL = 3;

/** The filters and searches that several kinds of lists have. */
function partsOf({ common, matchesAll, commonName, hardlyOverlapping }: KnownValues) {
  const commonFilter = formatFilter(common);
  return {
    common: commonFilter,
    commonWords: `${matchesAll}+${commonName}`,
    overlapping: `${commonFilter}&level=${LEVEL}`,
    hardlyOverlapping: hardlyOverlapping.map(formatFilter).join("&"),
  };
}

function formatFilter({ field, value }: FieldValue): string {
  return `${field}=${value}`;
}

/** A list with a filter expression: its query, and the expression as comparisons of custom fields in bare SQL. */
interface ExpressionKind {
  readonly query: string;
  readonly bare: BareKind;
}

function expression(text: string, bare: BareKind, more = ""): ExpressionKind {
  return { query: `filter=${encodeURIComponent(text)}${more}`, bare };
}

/** A comparison as in a filter expression, which ignores case. */
function formatComparison({ field, value }: FieldValue): string {
  return `${field} eq ${JSON.stringify(value).toLowerCase()}`;
}

/** The same text with the next last character: the end of a range of all texts that start with it. */
function endOfStart(start: string): string {
  return start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
}

/** Lists with filter expressions. */
function expressionKinds({
  common,
  either,
  rare,
  hardlyOverlapping,
}: KnownValues): Readonly<Record<string, ExpressionKind>> {
  const { field } = common;
  const equal =
    (...values: readonly FieldValue[]): BareKind =>
    ({ compare }) =>
      values.map((each) => compare(each.field, "= ?", each.value));
  const isCommon = formatComparison(common);
  const isRare = formatComparison(rare);
  const isEither = either.values
    .map((value) => formatComparison({ field: either.field, value }))
    .join(" or ");
  const isBoth = hardlyOverlapping.map(formatComparison).join(" and ");
  const nowhere = { field, value: "Nowhere" };
  const isSenior = `level ge ${LEVEL}`;
  const seniors: BareKind = ({ compare }) => [compare("level", ">= ?", LEVEL)];
  return {
    "expression: common value": expression(isCommon, equal(common)),
    "expression: common value, by name": expression(isCommon, equal(common), "&sort=name"),
    "expression: rare value": expression(isRare, equal(rare)),
    "expression: rare value, by -level": expression(isRare, equal(rare), "&sort=-level"),
    "expression: no match": expression(formatComparison(nowhere), equal(nowhere)),
    "expression: common range": expression(isSenior, seniors),
    "expression: common range, by name": expression(isSenior, seniors, "&sort=name"),
    "expression: empty range": expression("level gt 100", ({ compare }) => [compare("level", "> ?", 100)]),
    "expression: starts with": expression(`${field} sw "${common.start.toLowerCase()}"`, ({ compare }) => [
      compare(field, ">= ?", common.start),
      compare(field, "< ?", endOfStart(common.start)),
    ]),
    "expression: two values": expression(isEither, ({ compare }) => [
      compare(either.field, "IN (?, ?)", ...either.values),
    ]),
    "expression: value and range": expression(`${isCommon} and ${isSenior}`, (dialect) => [
      ...equal(common)(dialect),
      ...seniors(dialect),
    ]),
    "expression: hardly overlap": expression(isBoth, equal(...hardlyOverlapping)),
    "expression: hardly overlap, by -createdAt": expression(
      isBoth,
      equal(...hardlyOverlapping),
      "&sort=-createdAt",
    ),
    "expression: not": expression(`not (${isCommon})`, ({ compare }) => [
      compare(field, "<> ?", common.value),
    ]),
    "count: expression common": expression(isCommon, equal(common), "&count=true"),
    "count: expression range": expression(isSenior, seniors, "&count=true"),
  };
}

/** Every kind of list: its name and query. */
export function listKinds(known: KnownValues): Readonly<Record<string, string>> {
  const { commonName, matchesAll, rareName, rareOfCommonParts, rare } = known;
  const { common, commonWords, overlapping, hardlyOverlapping } = partsOf(known);
  const { field } = known.common;
  const wordsOfNobody = known.wordsOfNobody.join("+");
  const anyOf = [common, ...known.others.map((value) => formatFilter({ field, value }))].join("&");
  return {
    ...Object.fromEntries(Object.entries(expressionKinds(known)).map(([name, { query }]) => [name, query])),
    "by level": "sort=level",
    "by level, descending": "sort=-level",
    "by department": "sort=department",
    "filter: common, by level": `${common}&sort=level`,
    plain: "",
    "largest page": "limit=1000",
    "offset 10,000": "offset=10000",
    ...Object.fromEntries(
      ["id", "name", "email", "createdAt", "updatedAt"].flatMap((field) => [
        [`by ${field}`, `sort=${field}`],
        [`by ${field}, descending`, `sort=-${field}`],
      ]),
    ),
    "by name, offset 10,000": "sort=name&offset=10000",
    "search: rare": `q=${rareName}`,
    "search: common": `q=${commonName}`,
    "search: matches all": `q=${matchesAll}`,
    "search: no match": "q=xyzzyxyz",
    "search: rare, common trigrams": `q=${rareOfCommonParts}`,
    "search: 1 character": "q=a",
    "search: 2 characters": "q=an",
    "search: 3 characters": `q=${known.threeCharacters}`,
    "search: long": `q=${known.mailbox}@example.communications.example.org.of.the.whole.world`,
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
    "search: matches all, offset 10,000": `q=${matchesAll}&offset=10000`,
    "search: matches all, by name, offset 10,000": `q=${matchesAll}&sort=name&offset=10000`,
    "filter: common": common,
    "filter: rare": formatFilter(rare),
    "filter: no match": `${field}=Nowhere`,
    "filter: common, by name": `${common}&sort=name`,
    "filter: common, offset 10,000": `${common}&offset=10000`,
    "filter: any of 3 values": anyOf,
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
}

/** Lists of members. In lists of users, `?group=` is the same list as the members of a group. */
function memberKinds({ common, commonName, rareName, rare }: KnownValues): readonly MeasuredList[] {
  const filters = {
    "": "",
    ", filter common": formatFilter(common),
    ", filter rare": formatFilter(rare),
    ", search common": `q=${commonName}`,
    ", search rare": `q=${rareName}`,
  };
  const orders = { "": "", ", by name": "sort=name" };
  return Object.entries(memberGroups).flatMap(([group, id]) => {
    const query = (...parts: readonly string[]) =>
      withLimit([`group=${id}`, ...parts].filter((part) => part !== "").join("&"));
    const bare: BareKind = ({ belongsTo, compare }) => [belongsTo(id), compare("level", ">= ?", LEVEL)];
    const range = encodeURIComponent(`level ge ${LEVEL}`);
    return [
      ...Object.entries(filters).flatMap(([filter, parameter]) =>
        Object.entries(orders).map(([order, sort]) => ({
          name: `members: ${group}${filter}${order}`,
          query: query(parameter, sort),
        })),
      ),
      { name: `members: ${group}, expression range`, query: query(`filter=${range}`), bare },
      { name: `count: members ${group}, filter common`, query: query(formatFilter(common), "count=true") },
    ];
  });
}

/** Every kind of list, with what a filter expression means in bare SQL. */
export function measuredKinds(known: KnownValues): readonly MeasuredList[] {
  const expressions = expressionKinds(known);
  const kinds = Object.entries(listKinds(known)).map(([name, query]) => ({
    name,
    query: withLimit(query),
    bare: expressions[name]?.bare,
  }));
  return [...kinds, ...memberKinds(known)];
}

/** The custom fields of the sample users. */
export const sampleFields: IndexedFields = { department: "text", level: "integer" };

/** A page of 20, unless the query has a limit. */
export function withLimit(query: string): string {
  return `${/(^|&)limit=/.test(query) ? "" : "limit=20&"}${query}`.replace(/&$/, "");
}

/** Lists to follow page by page. */
export function followedLists(known: KnownValues): Readonly<Record<string, string>> {
  const { hardlyOverlapping } = partsOf(known);
  return {
    "20 pages: plain": "",
    "20 pages: by name": "sort=name",
    "20 pages: search common, by name": `q=${known.commonName}&sort=name`,
    "20 pages: filters that hardly overlap": hardlyOverlapping,
    "20 pages: hardly overlap, by -createdAt": `${hardlyOverlapping}&sort=-createdAt`,
  };
}
