import type { SortField } from "../../domain/listing.ts";
import type { Sql, Value } from "./conditions.ts";

/** A part of a list's order that one index walks: users without an email follow all that have one. */
export interface Segment {
  /** The column that the segment is ordered by before the id, if any. */
  readonly key: string | undefined;
  readonly index: string;
  readonly where: string;
}

export const orders: Record<SortField, readonly [Segment, ...Segment[]]> = {
  id: [{ key: undefined, index: "", where: "" }],
  name: [{ key: "name_fold", index: "INDEXED BY users_by_name", where: "" }],
  email: [
    { key: "email_fold", index: "INDEXED BY users_by_email", where: "email_fold IS NOT NULL" },
    { key: undefined, index: "INDEXED BY users_by_email", where: "email_fold IS NULL" },
  ],
  createdAt: [{ key: "created_at", index: "INDEXED BY users_by_creation", where: "" }],
  updatedAt: [{ key: "updated_at", index: "INDEXED BY users_by_update", where: "" }],
};

/** A place in the order: everything up to it has been looked at. Without `id`, the start of the segment. */
export interface Spot {
  readonly segment: number;
  readonly key: Value;
  readonly id: number | undefined;
}

const everyone: Sql = { text: "", values: [] };

/** What follows FROM users u: the users of a segment beyond a spot, in order, that pass the tests given. */
export function inOrder(segment: Segment, descending: boolean, spot: Spot, tests: Sql = everyone): Sql {
  const direction = descending ? "DESC" : "ASC";
  const sign = descending ? "<" : ">";
  const { key, index, where } = segment;
  const order = key ? `u.${key} ${direction}, u.id ${direction}` : `u.id ${direction}`;
  const beyond: Sql =
    spot.id === undefined
      ? everyone
      : key
        ? { text: `(u.${key}, u.id) ${sign} (?, ?)`, values: [spot.key, spot.id] }
        : { text: `u.id ${sign} ?`, values: [spot.id] };
  const conditions = [where, beyond.text, tests.text].filter((text) => text !== "");
  return {
    text: `${index} ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""} ORDER BY ${order}`,
    values: [...beyond.values, ...tests.values],
  };
}
