import type { Condition, ConditionSource } from "../lists/condition.ts";
import type { Dialect } from "../lists/dialect.ts";
import { type IdRange, selectInRange } from "../lists/id-range.ts";
import type { SearchIndex } from "../lists/list-resource.ts";
import { type SearchTerms, searchTerms } from "../lists/search-text.ts";

/** Each one is another list to sample and to intersect. */
const MAX_TRIGRAMS = 6;

/** SQLite never reorders a CROSS JOIN: rows keep the order of the ids. */
function joinRows(table: string, from: string, id: string): string {
  return `${from} CROSS JOIN ${table} u ON u.id = ${id}`;
}

export function sqliteDialect(maxCandidates: number): Dialect {
  return {
    table: (name) => name,
    json: "CAST(u.json AS BLOB)",
    indexHint: (index) => `INDEXED BY ${index}`,
    // In a comparison of rows, SQLite uses no column of an index after its last one, such as the id.
    scansTies: true,
    unindexedId: "id",
    position: "instr",
    optimizationFence: "LIMIT -1",
    unionMember: (select) => select,
    joinRows,
    pageRows: (table, ids) => joinRows(table, `(${ids}) d`, "d.id"),
    mergeIds: (selects, descending) => ({
      text: `${selects.map(({ text }) => text).join(" UNION ")} ORDER BY id ${descending ? "DESC" : "ASC"}`,
      values: selects.flatMap(({ values }) => values),
    }),
    walksRows: false,
    idsFromJson: "SELECT value AS id FROM json_each(?)",
    repeatOrder: () => "",
    search,
    maxLookups: 2,
    maxCandidates,
    costs: {
      walkById: 0.3,
      walkByKey: 2.8,
      entry: 0.5,
      sort: 2.6,
      searchList: 15,
      searchEntry: 1.2,
      searchBlockEntry: 0,
      searchBlock: 1,
      searchMerge: 0.03,
      merge: 0.1,
      collect: 0.4,
      walkKeys: 0.25,
      lookup: 0.5,
      parse: 3,
    },
  };
}

function search(index: SearchIndex, words: readonly string[], source: ConditionSource): Condition {
  return searchCondition(
    index,
    searchTerms(index, words, MAX_TRIGRAMS, (column) => `instr(u.${column}, ?)`),
    source,
  );
}

function searchCondition(
  index: SearchIndex,
  { trigrams, exact, test }: SearchTerms,
  source: ConditionSource,
): Condition {
  const { table } = index;
  const matching = (match: string) => (range: IdRange) =>
    selectInRange(range, "rowid", {
      text: `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ? AND`,
      values: [match],
    });
  return {
    test,
    testsIdOnly: false,
    selectIds: matching(trigrams.map(quote).join(" AND ")),
    exact,
    order: "known",
    selective: false,
    isSearch: true,
    ...(trigrams.length > 1 && {
      lists: trigrams.map((trigram) => matching(quote(trigram))),
      withLists: (kept) => {
        const isExact = exact && kept.length === trigrams.length;
        const keptTrigrams = kept.flatMap((position) => trigrams[position] ?? []);
        return searchCondition(index, { trigrams: keptTrigrams, exact: isExact, test }, source);
      },
    }),
    source,
  };
}

/** A trigram as an FTS5 string. */
function quote(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}
