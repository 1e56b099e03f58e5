import type { ListExplanation } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import { listLimits } from "../../contract/listing.ts";
import { type FieldPath, formatFieldPath } from "../../domain/field-path.ts";
import type { CommandContext } from "../command.ts";
import type { Column, Output } from "../flags/output-flag.ts";
import { DEFAULT_LIMIT, type Search } from "../flags/record-flags.ts";
import { print } from "../output/print.ts";
import { printExplanation } from "../output/print-explanation.ts";
import { RecordPrinter } from "../output/print-records.ts";
import { shellQuote } from "../output/shell-quote.ts";
import type { AnyRecord, RecordKind } from "./record-kind.ts";

/** What chooses, orders and shortens the records of a list, as options of the client. */
export interface ListQuery extends Search {
  readonly sort?: string;
  readonly fields?: readonly string[];
  readonly limit?: number;
  readonly after?: string | undefined;
}

interface RecordPage {
  readonly items: readonly AnyRecord[];
  readonly next: string | undefined;
  readonly total: { readonly count: number; readonly capped: boolean } | undefined;
}

/** A list that a command prints. */
export interface ListSource {
  readonly kind: RecordKind;
  /** The words of the command, such as `users list`. */
  readonly command: string;
  /** The message if the whole list is empty. */
  readonly empty: string;
  page(query: ListQuery, options?: { readonly count: boolean }): Promise<RecordPage>;
  explain?(query: ListQuery): Promise<ListExplanation>;
  /** All records as CSV with all of their fields, if the service has such an export. */
  exportCsv?(query: ListQuery): Promise<ReadableStream<Uint8Array>>;
}

/** The flags of a list. */
export interface ListView {
  readonly search: Search;
  /** Whether something else than the flags of `search` selects records. */
  readonly isFiltered?: boolean;
  readonly sort: string;
  readonly fields: readonly FieldPath[] | undefined;
  readonly limit: number | undefined;
  readonly all: boolean;
  readonly after: string | undefined;
  readonly explain?: boolean;
  readonly output: Output | undefined;
  readonly columns: readonly Column[] | undefined;
  /** The arguments of the command, for the command that continues the list. */
  readonly args: readonly string[];
}

/** Prints a list up to its limit, and says on stderr how to continue it. */
export async function listRecords(
  source: ListSource,
  { search, isFiltered, sort, fields, limit, all, after, explain, output, columns, args }: ListView,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  const { kind } = source;
  if (all && limit !== undefined) throw new ConfigError("Choose --all or --limit, not both.");
  const query = { ...search, sort, ...(fields && { fields: fields.map(formatFieldPath) }) };
  const maxRecords = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
  if (explain && source.explain) {
    if (output === "csv")
      throw new ConfigError("--explain prints no csv. Use --output table, json or ndjson.");
    const page = { ...query, after, limit: Math.min(maxRecords, listLimits.pageSize.maximum) };
    return printExplanation(stdout, await source.explain(page), kind.one, output);
  }
  if (all && output === "csv" && !columns && after === undefined && source.exportCsv) {
    // The service knows the columns of all records: there is no need to keep the records in memory.
    for await (const bytes of await source.exportCsv(query)) if (!stdout.write(bytes)) await stdout.drained();
    return;
  }
  const printer = new RecordPrinter(stdout, kind, { output, columns, fields });
  const pages = new Pages(source, query, after, maxRecords);
  for await (const page of pages) await printer.print(page);
  const missing = await printer.end();
  const isSearch = isFiltered || after !== undefined || Object.keys(search).length > 0;
  if (pages.count === 0) print(stderr, isSearch ? `No ${kind.many} found.` : source.empty);
  else for (const column of missing) print(stderr, `None of these ${kind.many} has the field ${column}.`);
  if (pages.next !== undefined) {
    const total = await describeTotal(source, query);
    print(
      stderr,
      `Showing ${pages.count.toLocaleString("en")} ${total}. To list all of them, add --all. To continue:`,
    );
    stderr.write(`  ${nextCommand(source.command, args, pages.next)}\n`);
  }
}

/** The pages of a list, up to a number of records. */
class Pages {
  readonly #source: ListSource;
  readonly #query: ListQuery;
  readonly #after: string | undefined;
  readonly #limit: number;
  count = 0;
  /** The cursor after the last page read; undefined if that was the last page of the list. */
  next: string | undefined;

  constructor(source: ListSource, query: ListQuery, after: string | undefined, limit: number) {
    this.#source = source;
    this.#query = query;
    this.#after = after;
    this.#limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly AnyRecord[], void, undefined> {
    this.next = this.#after;
    do {
      // The cursor must follow the last record printed, so fetch no more than are printed.
      const limit = Math.min(this.#limit - this.count, listLimits.pageSize.maximum);
      const page = await this.#source.page({ ...this.#query, limit, after: this.next });
      this.count += page.items.length;
      this.next = page.next;
      if (page.items.length > 0) yield page.items;
    } while (this.next !== undefined && this.count < this.#limit);
  }
}

/** For example `of 150,000 users`. The list is already printed, so a count that fails is not an error. */
async function describeTotal({ page, kind }: ListSource, query: ListQuery): Promise<string> {
  const counted = await page({ ...query, limit: 1 }, { count: true }).catch(() => undefined);
  if (!counted?.total) return `${kind.many}, and there are more`;
  const { count, capped } = counted.total;
  return `of ${capped ? "more than " : ""}${count.toLocaleString("en")} ${kind.many}`;
}

/** The same command with another cursor. */
function nextCommand(command: string, args: readonly string[], after: string): string {
  const rest = args.filter(
    (arg, index) => !arg.startsWith("--after=") && arg !== "--after" && args[index - 1] !== "--after",
  );
  return ["roster", ...command.split(" "), ...rest, "--after", after].map(shellQuote).join(" ");
}
