import type { JsonObject } from "../../contract/json.ts";
import type { Expression } from "../../domain/filter/expression.ts";
import type { ListFields } from "../../domain/lists/list-fields.ts";
import type { Filter, ListQuery, Page, Position } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { ResourceKind } from "../../scim/attributes.ts";
import type { DocumentWriter } from "./document-writer.ts";
import type { ListTotal } from "./list-positions.ts";

/** Some records of a part: after a position or, without one, so many after its first. */
export interface PartRead {
  readonly from: Position | undefined;
  readonly offset: number;
  readonly limit: number;
  /** How long to count, in milliseconds. Without it, the total is not wanted. */
  readonly countMs?: number;
}

/** Some records, as a JSON array. The page can be short although there is a next one. */
export type PartPage = Pick<Page, "body" | "size" | "next"> & { readonly total: ListTotal | undefined };

/** The resources of one kind in a list. */
export interface ListPart {
  readonly kind: ResourceKind;
  readonly fields: ListFields;
  readonly order: Pick<ListQuery, "sort" | "descending">;
  readonly filters: readonly Filter[];
  readonly expression: Expression | undefined;
  /** The most records to read at a time. */
  readonly maxRows: number;
  readonly writer: DocumentWriter;
  read(request: PartRead): MaybePromise<PartPage>;
  /** The only record, if the list has at most one and need not be searched. */
  readonly find?: () => MaybePromise<FoundRecord | undefined>;
}

type FoundRecord = Pick<StoredRecord, "json">;

/** Records of one kind, and how a list selects and orders them. */
interface ListedRecords<Column extends string> {
  readonly kind: ResourceKind;
  readonly records: { list(query: ListQuery<Column>, findOwner: () => string): MaybePromise<Page> };
  readonly fields: ListFields<Column>;
  readonly query: Pick<ListQuery<Column>, "sort" | "descending" | "filters" | "expression">;
  /** The same for all pages of a list of this size; undefined if it is long. */
  readonly name: string | undefined;
  /** The size of pages. */
  readonly count: number;
  readonly writer: DocumentWriter;
  readonly findOwner: () => string;
}

/** Records of this size together are parsed in about a millisecond. */
export const READ_BYTES = 131_072;
/** The records of a list without conditions are read a few at a time. To find those of another list takes longer than to read more of them. */
const MAX_ROWS = { plain: 100, conditional: 500 } as const;

/** The records that a filter selects, in the order of the list. */
export function listedPart<Column extends string>(listed: ListedRecords<Column>): ListPart {
  const { kind, records, fields, query, name, count, writer, findOwner } = listed;
  const { filters, expression, sort, descending } = query;
  const isPlain = filters.length === 0 && expression === undefined && sort === "id";
  const maxRows = isPlain ? MAX_ROWS.plain : MAX_ROWS.conditional;
  // Stores keep first pages by name.
  const hasName = ({ from, limit }: PartRead) => from !== undefined || limit === Math.min(count, maxRows);
  return {
    kind,
    fields,
    order: { sort, descending },
    filters,
    expression,
    maxRows,
    writer,
    read: (request) => {
      const { from, offset, limit, countMs } = request;
      return records.list(
        {
          ...query,
          ...{ from, offset, limit, search: undefined, maxBytes: READ_BYTES, count: countMs !== undefined },
          ...(countMs !== undefined && { countMs }),
          ...(name !== undefined && hasName(request) && { name }),
        },
        findOwner,
      );
    },
  };
}

const encoder = new TextEncoder();

/** At most one record, which was found without a list. */
export function foundPart(
  part: Pick<ListPart, "kind" | "fields" | "writer">,
  find: () => MaybePromise<FoundRecord | undefined>,
): ListPart {
  return {
    ...part,
    order: { sort: "id", descending: false },
    filters: [],
    expression: undefined,
    maxRows: 1,
    find,
    async read({ from, offset }) {
      const record = await find();
      const total = { count: record ? 1 : 0, capped: false };
      const isShown = record !== undefined && from === undefined && offset === 0;
      const body = encoder.encode(isShown ? `[${record.json}]` : "[]");
      return { body, size: isShown ? 1 : 0, next: undefined, total };
    },
  };
}

const decoder = new TextDecoder();

/** The records of a page. */
export function parseRecords(body: Uint8Array): JsonObject[] {
  return JSON.parse(decoder.decode(body));
}
