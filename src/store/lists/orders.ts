import type { SortField } from "../../domain/listing.ts";
import type { Dialect } from "./dialect.ts";
import type { Sql, SqlValue } from "./sql.ts";

/** A part of a list's order that one index walks: users without an email follow all that have one. */
export interface Segment {
  /** The column that the segment is ordered by before the id, if any. */
  readonly key: string | undefined;
  /** What kind the key is; engines may give a number as text. */
  readonly keyType: "text" | "number";
  readonly index: string | undefined;
  readonly where: string;
}

export const sortOrders: Record<SortField, readonly [Segment, ...Segment[]]> = {
  id: [{ key: undefined, keyType: "number", index: undefined, where: "" }],
  name: [{ key: "name_fold", keyType: "text", index: "users_by_name", where: "" }],
  email: [
    { key: "email_fold", keyType: "text", index: "users_by_email", where: "u.email_fold IS NOT NULL" },
    { key: undefined, keyType: "text", index: "users_by_email", where: "u.email_fold IS NULL" },
  ],
  createdAt: [{ key: "created_at", keyType: "number", index: "users_by_creation", where: "" }],
  updatedAt: [{ key: "updated_at", keyType: "number", index: "users_by_update", where: "" }],
};

/** A place in the order: everything up to it has been looked at. Without `id`, the start of the segment. */
export interface SortPosition {
  readonly segment: number;
  readonly key: SqlValue;
  readonly id: number | undefined;
}

const everyone: Sql = { text: "", values: [] };

/** The users `u` of a segment beyond a spot, in order: what follows SELECT, to be limited. */
export function selectSegment(
  { users, indexHint: hint }: Dialect,
  segment: Segment,
  descending: boolean,
  spot: SortPosition,
): Sql {
  const { text, values } = segmentAfter(segment, descending, spot);
  const from = `FROM ${users} u ${segment.index ? hint(segment.index) : ""}`;
  return { text: `${from} ${text}`, values };
}

/** What follows FROM, of a segment's users that pass the tests: those beyond a spot, in order. */
export function segmentAfter(
  segment: Segment,
  descending: boolean,
  spot: SortPosition,
  tests: Sql = everyone,
): Sql {
  const direction = descending ? "DESC" : "ASC";
  const sign = descending ? "<" : ">";
  const { key, where } = segment;
  const order = key ? `u.${key} ${direction}, u.id ${direction}` : `u.id ${direction}`;
  const after: Sql =
    spot.id === undefined
      ? everyone
      : key
        ? { text: `(u.${key}, u.id) ${sign} (?, ?)`, values: [spot.key, spot.id] }
        : { text: `u.id ${sign} ?`, values: [spot.id] };
  const conditions = [where, after.text, tests.text].filter((text) => text !== "");
  return {
    text: `${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")} ` : ""}ORDER BY ${order}`,
    values: [...after.values, ...tests.values],
  };
}
