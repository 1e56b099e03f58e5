import { type Condition, type IdRange, selectInRange } from "../lists/conditions.ts";
import type { Dialect } from "../lists/dialect.ts";
import { searchTerms } from "../lists/search-text.ts";

/** How lists are asked of SQLite. */
export function sqliteDialect(maxCandidates: number): Dialect {
  return {
    users: "users",
    values: "user_values",
    json: "CAST(u.json AS BLOB)",
    indexHint: (index) => `INDEXED BY ${index}`,
    unindexedId: "id",
    optimizationFence: "LIMIT -1",
    unionMember: (select) => select,
    // A CROSS JOIN is never reordered: users come in the order of the ids.
    joinUsers: (ids) => `(${ids}) d CROSS JOIN users u ON u.id = d.id`,
    repeatOrder: () => "",
    search,
    scannedPerResult: 0,
    maxCandidates,
  };
}

function search(text: string): Condition {
  const { trigrams, start } = searchTerms(text);
  const matching = (match: string) => (range: IdRange) =>
    selectInRange(range, "rowid", {
      text: "SELECT rowid AS id FROM user_search WHERE user_search MATCH ? AND",
      values: [match],
    });
  return {
    test:
      start === undefined
        ? { text: "(instr(u.name_fold, ?) OR instr(u.email_fold, ?))", values: [text, text] }
        : { text: "instr(u.word_starts, ?)", values: [start] },
    testsIdOnly: false,
    idLists: trigrams.map((trigram) => matching(quoted(trigram))),
    selectIds: matching(trigrams.map(quoted).join(" AND ")),
    exact: trigrams.length === 1 && [...text].length <= 3,
    sorted: true,
    selective: false,
  };
}

/** A trigram as FTS5 takes it. */
function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}
