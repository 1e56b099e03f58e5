import type { FieldsOfRecord } from "../../contract/record-fields.ts";
import type { ListFields } from "../../domain/lists/list-fields.ts";
import type { SqlValue } from "../sql/sql.ts";
import type { Matches } from "./condition.ts";

/**
 * Describes a table to the list code: how to sort, filter and search its rows. Lists of another resource need another
 * description, and no other code.
 */
export interface ListResource {
  /** What the columns hold. */
  readonly fields: ListFields;
  /** Which fields of the JSON are not custom fields. */
  readonly rowFields: FieldsOfRecord;
  /** The table's primary key is `id`. Its column `json` holds a row as lists return it, starting with the id. */
  readonly table: string;
  /**
   * The order of each sort field. In an order of two segments, rows without a sort key form the second: a cursor without
   * a key continues there.
   */
  readonly sortOrders: Readonly<Record<string, readonly [Segment, ...Segment[]]>>;
  /** Columns to filter on. */
  readonly columns: Readonly<Record<string, FilterColumn>>;
  readonly customValues: CustomValues;
  readonly search: SearchIndex;
  readonly memberships?: Memberships;
}

/** The two columns of the table `memberships`, as a list of users or of groups sees them. */
export interface Memberships {
  /** The column with the id of the listed row. */
  readonly owner: "user_id" | "group_id";
  readonly other: "user_id" | "group_id";
  /** The table of the other side. */
  readonly otherTable: "users" | "groups";
}

/** A part of a sort order that one index covers. */
export interface Segment {
  /** The column that precedes the id in the order, if any: of the row `u`, or of its value `v` in `customField`. */
  readonly key: string | undefined;
  /** Engines may return a number as text: `keyType` says what to convert the key to. */
  readonly keyType: "text" | "number";
  readonly index: string | undefined;
  /** Most rows may have the same key. */
  readonly hasTies?: boolean;
  /** The order is nearly that of the ids. */
  readonly followsIds?: boolean;
  /** Restricts the segment to some of the rows; empty for all. */
  readonly where: string;
  /** Restricts the segment to keys before this one. */
  readonly keysBefore?: string;
  /** The order is that of the values at this path (`fieldPath`). */
  readonly customField?: string;
  /** Restricts the segment to rows that match. */
  readonly matches?: Matches;
}

/** How to test a row for a value, and which index finds the rows that have it. */
export type FilterColumn = UniqueColumn | IndexedColumn;

interface UniqueColumn {
  readonly unique: true;
  readonly column: string;
}

interface IndexedColumn {
  readonly unique: false;
  /** The expression on the row `u` that must equal a filter value. */
  readonly expression: string;
  readonly column: string;
  /** An index on the column and the id. */
  readonly index: string;
  /** The column's value for a filter value, if they differ: then rows from the index also need the test. */
  readonly toIndexed?: (value: SqlValue) => SqlValue;
}

/** What belongs to a field of the list. The fields of a query are checked where it arrives. */
export function ofField<T>(parts: Readonly<Record<string, T>>, field: string): T {
  const found = Object.hasOwn(parts, field) ? parts[field] : undefined;
  if (found === undefined) throw new Error(`This list has no field ${field}.`);
  return found;
}

/** Values of custom fields: a table with the columns `field`, `value` and the id of the row they belong to, indexed in this order. */
export interface CustomValues {
  readonly table: string;
  readonly ownerColumn: string;
}

/** A trigram index, and the columns of the row `u` that a search tests. */
export interface SearchIndex {
  readonly table: string;
  /** On SQLite the index is an FTS5 table and its rowid is the owner's id. */
  readonly ownerColumn: string;
  /** Folded text. A search of three or more characters matches anywhere in it. */
  readonly textColumns: readonly string[];
  /** Marked starts of words. A search of one or two characters matches here only. */
  readonly wordStartsColumn: string;
}
