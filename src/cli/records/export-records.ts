import type { BulkFormat, PageInfo } from "../../client/index.ts";
import { type FieldPath, formatFieldPath } from "../../domain/field-path.ts";
import type { CommandContext } from "../command.ts";
import { exportLines } from "../export-lines.ts";
import type { Search } from "../flags/record-flags.ts";
import type { ListQuery } from "./list-records.ts";
import type { RecordKind } from "./record-kind.ts";

/** What chooses the records of an export. */
interface ExportQuery extends Search {
  readonly group?: readonly number[];
}

/** The calls of the client that export users, or groups. */
interface ExportCalls {
  export(query: ListQuery & ExportQuery): {
    stream(format: BulkFormat): Promise<ReadableStream<Uint8Array>>;
  };
  list(query: ListQuery & ExportQuery): {
    page(options: { readonly count: boolean }): Promise<Pick<PageInfo, "total">>;
  };
}

/** The flags of an export. */
interface ExportView {
  readonly query: ExportQuery;
  readonly sort: string;
  readonly fields: readonly FieldPath[] | undefined;
  readonly file: string;
  readonly format: BulkFormat | undefined;
  readonly force: boolean;
}

/** Exports the users or groups that match. */
export async function exportRecords(
  { many }: RecordKind,
  calls: ExportCalls,
  { query, sort, fields, ...target }: ExportView,
  context: CommandContext,
): Promise<void> {
  const options = { ...query, sort, ...(fields && { fields: fields.map(formatFieldPath) }) };
  await exportLines(
    {
      ...target,
      many,
      open: (format) => calls.export(options).stream(format),
      async count() {
        const { total } = await calls.list({ ...query, limit: 1 }).page({ count: true });
        return total && !total.capped ? total.count : 0;
      },
    },
    context,
  );
}
