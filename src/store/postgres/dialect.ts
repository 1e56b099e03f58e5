import type { Condition, IdRange } from "../lists/conditions.ts";
import type { Dialect } from "../lists/dialect.ts";
import { searchTerms } from "../lists/search-text.ts";
import type { Sql } from "../lists/sql.ts";
import { BLOCK_BITS, BLOCKS_MASK, HASH_BITS, trigramHash } from "./search-keys.ts";

/** What one user in ten has makes a page at a glance. */
const GLANCE = 10;
const PLAIN_ID = "id + 0";

/** How lists are asked of PostgreSQL. It takes no advice about indexes: the statements leave it no other good way. */
export function postgresDialect(maxCandidates: number): Dialect {
  return {
    users: "roster.users",
    values: "roster.user_values",
    json: "u.json",
    indexHint: () => "",
    unindexedId: PLAIN_ID,
    optimizationFence: "OFFSET 0",
    unionMember: (select, order) => `(${select} ${order})`,
    joinUsers: (ids) =>
      `(${ids}) d CROSS JOIN LATERAL (SELECT * FROM roster.users WHERE id = d.id OFFSET 0) u`,
    repeatOrder(columns, descending) {
      const direction = descending ? "DESC" : "ASC";
      return `ORDER BY ${columns.map((column) => `d.${column} ${direction}`).join(", ")}`;
    },
    search,
    scannedPerResult: GLANCE,
    maxCandidates,
  };
}

function search(text: string): Condition {
  const { trigrams, start } = searchTerms(text);
  const hashes = trigrams.map(trigramHash);
  const ids = (range: IdRange) => matching(hashes, range);
  return {
    test:
      start === undefined
        ? { text: "(strpos(u.name_fold, ?) > 0 OR strpos(u.email_fold, ?) > 0)", values: [text, text] }
        : { text: "strpos(u.word_starts, ?) > 0", values: [start] },
    testsIdOnly: false,
    idLists: [ids],
    selectIds: ids,
    exact: false,
    sorted: false,
    selective: false,
  };
}

/**
 * Block after block in the direction of the list, each sorted: the planner does not know it, but the ids are in order.
 * `user_id + 0` is in no index: the one of the keys is the only way.
 */
function matching(hashes: readonly number[], { descending, after, last }: IdRange): Sql {
  const low = (descending ? last : after) ?? 0;
  const high = (descending ? after : last) ?? Number.MAX_SAFE_INTEGER;
  const first = `?::bigint >> ${BLOCK_BITS}`;
  const end = `least(?, (SELECT max(user_id) FROM roster.user_search)) >> ${BLOCK_BITS}`;
  const keys = hashes.map((hash) => `(b & ${BLOCKS_MASK})::integer << ${HASH_BITS} | ${hash}`);
  return {
    text: `SELECT s.user_id AS id
           FROM generate_series(${descending ? `${end}, ${first}, -1` : `${first}, ${end}`}) b
           CROSS JOIN LATERAL (
             SELECT user_id FROM roster.user_search
             WHERE keys @> ARRAY[${keys.join(", ")}] AND user_id >> ${BLOCK_BITS} = b
             AND user_id + 0 ${descending ? ">=" : ">"} ? AND user_id + 0 ${descending ? "<" : "<="} ?
             ORDER BY user_id + 0 ${descending ? "DESC" : "ASC"}
           ) s`,
    values: [...(descending ? [high, low] : [low, high]), low, high],
  };
}
