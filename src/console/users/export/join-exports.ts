import type papaparse from "papaparse";
import type { BulkFormat, User } from "../../../client/index.ts";
import { bulkLimits } from "../../../contract/bulk/bulk.ts";
import { isStoredAsCustom, orderStoredFields } from "../../../contract/users/user-fields.ts";
import { exporting as texts } from "../../texts/index.ts";
import { ExportError } from "./export-source.ts";

/** One file of several exports of different users. */
interface JoinedExports {
  /** Adds the text of an export. Returns the number of its users. */
  add(text: string): number;
  /** The users in the order of these ids. An id without a user is skipped. */
  inOrder(ids: readonly number[]): Blob;
}

export async function joinExports(format: BulkFormat): Promise<JoinedExports> {
  if (format === "ndjson") return new JoinedNdjson();
  const { default: papa } = await import("papaparse");
  return new JoinedCsv(papa);
}

class JoinedNdjson implements JoinedExports {
  readonly #lines = new Map<number, string>();

  add(text: string): number {
    const lines = text.split("\n").filter((line) => line !== "");
    for (const line of lines) {
      const { id }: User = JSON.parse(line);
      this.#lines.set(id, line);
    }
    return lines.length;
  }

  inOrder(ids: readonly number[]): Blob {
    return new Blob(ids.flatMap((id) => this.#lines.get(id) ?? []).map((line) => `${line}\n`));
  }
}

/** Each export has columns of its own. Their cells stay as they are: the service has escaped them. */
class JoinedCsv implements JoinedExports {
  readonly #papa: typeof papaparse;
  /** The cells of each user by their columns. */
  readonly #rows = new Map<number, ReadonlyMap<string, string>>();
  readonly #customColumns = new Set<string>();

  constructor(papa: typeof papaparse) {
    this.#papa = papa;
  }

  add(text: string): number {
    const format = { delimiter: ",", newline: "\r\n", skipEmptyLines: true } as const;
    const [columns = [], ...rows] = this.#papa.parse<string[]>(text, format).data;
    for (const column of columns) if (isStoredAsCustom(column)) this.#customColumns.add(column);
    // One export has this many, and one with other fields. Wider files stop spreadsheets, and fill the memory.
    if (this.#customColumns.size > bulkLimits.csvFields + 1) {
      throw new ExportError(texts.tooManyFields(bulkLimits.csvFields));
    }
    for (const cells of rows) {
      this.#rows.set(Number(cells[0]), new Map(columns.map((column, place) => [column, cells[place] ?? ""])));
    }
    return rows.length;
  }

  inOrder(ids: readonly number[]): Blob {
    const others = orderStoredFields(this.#customColumns);
    const columns = ["id", "name", "email", ...others, "version", "createdAt", "updatedAt"];
    const rows = ids.flatMap((id) => {
      const row = this.#rows.get(id);
      return row ? [columns.map((column) => row.get(column) ?? "")] : [];
    });
    return new Blob([this.#papa.unparse([columns, ...rows]), "\r\n"]);
  }
}
