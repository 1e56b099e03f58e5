import type { MembershipFilter } from "../../../domain/lists/listing.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import type { Condition, RowTest } from "../condition.ts";
import type { Dialect } from "../dialect.ts";
import { addRange } from "../id-range.ts";
import type { ListResource, Memberships } from "../list-resource.ts";
import { mergeSelects } from "./merge-selects.ts";

/** The parameter of such a filter. */
const PARAMETER = "group";

/** The condition or the test of a filter by memberships. Only those count whose group exists: others are being removed. */
export function membershipFilter(
  dialect: Dialect,
  { memberships, table }: ListResource,
  filter: MembershipFilter,
): { condition: Condition } | { test: RowTest } {
  if (!memberships) throw new Error(`Lists of ${table} have no filter by memberships.`);
  const test = { test: testRow(dialect, memberships, filter), testsIdOnly: true };
  if (filter.negated || filter.by === "any") return { test };
  const { owner, other } = memberships;
  const selects = otherIds(dialect, memberships, filter).map((id) =>
    joinSql(`SELECT v.${owner} AS id FROM ${dialect.table("memberships")} v WHERE v.${other} =`, id, "AND"),
  );
  const [only] = selects;
  if (!only) return { test: { test: sql("FALSE"), testsIdOnly: true } };
  const inRange = (range: Parameters<Condition["selectIds"]>[0]) =>
    selects.map((select) => addRange(range, `v.${owner}`, select));
  return {
    condition: {
      ...test,
      selectEntries: (range) => mergeSelects(dialect, range, inRange(range)),
      selectIds: (range) =>
        selects.length === 1
          ? mergeSelects(dialect, range, inRange(range))
          : dialect.mergeIds(inRange(range), range.descending),
      ...(selects.length === 1 && { selectStretch: (range) => addRange(range, `v.${owner}`, only) }),
      exact: true,
      order: "known",
      selective: false,
      source: filter.source ? [filter.source] : PARAMETER,
    },
  };
}

/** The ids of the other side, each as a value that is looked up once; none if no such row exists. */
function otherIds(
  dialect: Dialect,
  { otherTable }: Memberships,
  filter: Exclude<MembershipFilter, { by: "any" }>,
): Sql[] {
  const column = filter.by === "id" ? "id" : "unique_name";
  const table = dialect.table(otherTable);
  return filter.values.map((value) => sql(`(SELECT g.id FROM ${table} g WHERE g.${column} = ?)`, value));
}

/** One stretch of the index for each id: an engine may read a whole group for an OR. */
function isAnyOf(column: string, ids: readonly Sql[]): Sql {
  const [only, ...others] = ids;
  if (!only) return sql("FALSE");
  if (others.length === 0) return joinSql(`${column} =`, only);
  return joinSql(`${column} IN (`, only, ...others.map((id) => joinSql(",", id)), ")");
}

function testRow(dialect: Dialect, memberships: Memberships, filter: MembershipFilter): Sql {
  const { owner, other, otherTable } = memberships;
  const rows = `SELECT 1 FROM ${dialect.table("memberships")} v WHERE v.${owner} = u.id AND`;
  const otherId =
    filter.by === "any"
      ? sql(`EXISTS (SELECT 1 FROM ${dialect.table(otherTable)} g WHERE g.id = v.${other})`)
      : isAnyOf(`v.${other}`, otherIds(dialect, memberships, filter));
  return joinSql(`${filter.negated ? "NOT " : ""}EXISTS (${rows}`, otherId, `${dialect.optimizationFence})`);
}
