import { type BulkFormat, bulkLimits } from "../../contract/bulk/bulk.ts";
import { formatReference } from "../csv/reference-cells.ts";
import { joinRows } from "../csv/write.ts";
import type { Membership, MembershipPageQuery, MembershipRow } from "../groups/group-store.ts";
import type { Meter } from "../meter.ts";
import { streamPages } from "./exports.ts";
import {
  type ImportedMembership,
  MembershipImport,
  type MembershipOptions,
  type MembershipStores,
  membershipCsvRules,
} from "./import-memberships.ts";
import type { ImportRequest, ImportRunner } from "./import-runner.ts";
import type { RowOutcome } from "./imports.ts";
import { createRowReader, type RowReader } from "./row-reader.ts";

/** Imports and exports the members of groups. Methods throw a `ProblemError` if they fail. */
export class Memberships {
  readonly #stores: MembershipStores;
  readonly #runner: ImportRunner;

  constructor(stores: MembershipStores, runner: ImportRunner) {
    this.#stores = stores;
    this.#runner = runner;
  }

  createRowReader(format: BulkFormat): RowReader {
    return createRowReader(format, membershipCsvRules);
  }

  /** Adds or removes a membership for each row, or yields the outcomes that this would have now. */
  import(
    request: ImportRequest,
    { removes }: MembershipOptions,
    dryRun: boolean,
  ): AsyncGenerator<RowOutcome<ImportedMembership>[], void> {
    const store = new MembershipImport(this.#stores);
    return this.#runner.run(request, {
      store,
      options: { removes },
      dryRun,
      variant: `\nmemberships ${removes ? "removed" : "added"}`,
      chunkLines: bulkLimits.membershipChunkLines,
      /** A change writes its group, however short the row is. */
      countWritten: async () => store.takeWrittenBytes(),
    });
  }

  /** The memberships, in the order of groups and users. Ends early when the signal aborts. */
  async *export(
    format: BulkFormat,
    { groupIds, names }: Omit<MembershipPageQuery, "after">,
    signal: AbortSignal,
    meter?: Meter,
  ): AsyncGenerator<Uint8Array, void> {
    const encoder = new TextEncoder();
    const ordered = groupIds && [...new Set(groupIds)].sort((a, b) => a - b);
    const readPage = async (after: Membership | undefined) => {
      const page = await this.#stores.groups.listMemberships({ after, groupIds: ordered, names });
      const text = format === "csv" ? formatCsv(page.rows) : formatNdjson(page.rows);
      return { body: encoder.encode(text), size: page.rows.length, next: page.next };
    };
    if (format === "csv") yield encoder.encode(joinRows([["group", "user"]]));
    yield* streamPages(readPage, signal, meter);
  }
}

function formatNdjson(rows: readonly MembershipRow[]): string {
  return rows.map(([group, user]) => `${JSON.stringify({ group, user })}\n`).join("");
}

function formatCsv(rows: readonly MembershipRow[]): string {
  return joinRows(rows.map((row) => row.map(formatReference)));
}
