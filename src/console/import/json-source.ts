import type { Json } from "../../client/index.ts";
import { userLimits } from "../../contract/users/user.ts";
import { importing as texts } from "../texts/import.ts";
import { formatValue } from "../users/fields.ts";
import { ColumnProfile } from "./column-profile.ts";
import { type ColumnType, parseCell } from "./column-type.ts";
import { FileError, type TextFile } from "./file-text.ts";
import { readJsonItems } from "./json-items.ts";
import { type Target, targetField } from "./mapping.ts";
import {
  type Batch,
  type Column,
  type Contents,
  type FailedRow,
  FIRST_ROWS,
  FileSource,
  MAX_COLUMNS,
  type OpenOptions,
  type Row,
  type RowError,
  type Source,
} from "./source.ts";

/** A file with a longer line or item is not JSON with users. */
const MAX_LINE_CHARACTERS = 1_048_576;

type JsonObject = { [field: string]: Json };

/** A file with JSON objects: one per line, or the items of an array. */
export class JsonSource extends FileSource implements Source {
  readonly format = "ndjson";

  private constructor(
    file: TextFile,
    readonly kind: "ndjson" | "json",
    contents: Contents,
  ) {
    super(file, contents);
  }

  static async open(
    file: TextFile,
    kind: "ndjson" | "json",
    { onProgress, signal }: OpenOptions,
  ): Promise<JsonSource> {
    const columns = new Map<string, JsonColumn>();
    let rowCount = 0;
    const firstRows: Row[] = [];
    for await (const { rows, bytes } of readRows(file, kind)) {
      signal?.throwIfAborted();
      for (const row of rows) {
        rowCount++;
        if (firstRows.length < FIRST_ROWS) firstRows.push(row);
        addColumns(columns, row);
        if (columns.size > MAX_COLUMNS) throw new FileError("wide");
      }
      onProgress?.(bytes);
    }
    const found = [...columns].map(
      ([header, { profile, types }]): Column => ({
        header,
        examples: profile.examples,
        profile,
        types,
      }),
    );
    return new JsonSource(file, kind, { columns: found, rowCount, firstRows });
  }

  read(): AsyncGenerator<Batch, void> {
    return readRows(this.file, this.kind);
  }

  toRecord({ cells: [line = ""] }: Row, targets: readonly Target[]): ReadonlyMap<string, Json> | undefined {
    const fields = parseFields(line);
    return fields && this.#mapped(fields, targets);
  }

  findErrors({ cells: [line = ""] }: Row, targets: readonly Target[]): readonly RowError[] {
    const fields = parseFields(line);
    if (!fields) {
      const reason = texts.errors.noObject[this.kind];
      return [{ kind: reason, reason, value: line }];
    }
    return this.columns.flatMap(({ header }, index) => {
      const target = targets[index];
      const value = Object.hasOwn(fields, header) ? fields[header] : undefined;
      if (target?.to !== "custom" || target.omitsMisfits || value === undefined) return [];
      const reason = convert(value, target)?.error;
      return reason === undefined
        ? []
        : [{ kind: reason, reason, field: target.field, value: formatValue(value) }];
    });
  }

  /** If no field is renamed, skipped or converted, lines are sent unchanged. */
  write(rows: readonly Row[], targets: readonly Target[]): string {
    const isUnchanged = this.columns.every(({ header }, index) => {
      const target = targets[index];
      return target && targetField(target) === header && !(target.to === "custom" && target.type);
    });
    return rows
      .map(({ cells: [line = ""] }) => (isUnchanged ? line : this.#rewrite(line, targets)))
      .join("\n");
  }

  /** Objects stay unchanged: a reason added to one would become a field. */
  writeFailed(failed: readonly FailedRow[]): string {
    return failed.map(({ row: { cells } }) => `${cells[0]}\n`).join("");
  }

  #rewrite(line: string, targets: readonly Target[]): string {
    const fields = parseFields(line);
    return fields ? JSON.stringify(Object.fromEntries(this.#mapped(fields, targets))) : line;
  }

  #mapped(fields: JsonObject, targets: readonly Target[]): Map<string, Json> {
    const targetByHeader = new Map(this.columns.map(({ header }, index) => [header, targets[index]]));
    const record = new Map<string, Json>();
    for (const [key, value] of Object.entries(fields)) {
      const target = targetByHeader.get(key);
      const field = target ? targetField(target) : key;
      if (field === undefined) continue;
      const converted = target?.to === "custom" ? convert(value, target) : { value };
      if (!converted) continue;
      const { value: fitting = value, error } = converted;
      if (error !== undefined && target?.to === "custom" && target.omitsMisfits) continue;
      const before = record.get(field);
      const joins = target?.to === "name" && typeof before === "string" && typeof value === "string";
      record.set(field, joins ? `${before} ${value}` : fitting);
    }
    return record;
  }
}

interface JsonColumn {
  readonly profile: ColumnProfile;
  /** The types of the values, without null. */
  readonly types: Set<string>;
}

function addColumns(columns: Map<string, JsonColumn>, { cells: [line = ""] }: Row): void {
  for (const [key, value] of Object.entries(parseFields(line) ?? {})) {
    const column = columns.get(key) ?? { profile: new ColumnProfile(), types: new Set() };
    columns.set(key, column);
    column.profile.add(formatValue(value));
    if (value !== null) column.types.add(Array.isArray(value) ? "array" : typeof value);
  }
}

/** The value with the type of its column. Undefined if an empty text has no such value: the field is left out. */
function convert(
  value: Json,
  { type }: { readonly type?: ColumnType | undefined },
): ReturnType<typeof parseCell> | undefined {
  if (!type || (type === "text" && typeof value === "string")) return { value };
  const text = formatValue(value);
  return text.trim() === "" ? undefined : parseCell(text, type);
}

function readRows(file: TextFile, kind: "ndjson" | "json"): AsyncGenerator<Batch, void> {
  return kind === "json" ? readJsonItems(file, MAX_LINE_CHARACTERS) : readLines(file);
}

async function* readLines(file: TextFile): AsyncGenerator<Batch, void> {
  let rest = "";
  let number = 0;
  const take = (line: string): Row[] => {
    number++;
    const text = line.trim();
    return text === "" ? [] : [{ number, cells: [text] }];
  };
  for await (const { text, bytes } of file.read()) {
    const lines = (rest + text).split("\n");
    rest = bytes === file.size ? "" : (lines.pop() ?? "");
    yield { rows: lines.flatMap(take), bytes };
    if (rest.length > MAX_LINE_CHARACTERS) throw new FileError("endlessRow", number + 1);
  }
}

function parseFields(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) && canBeWritten(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether parsed JSON can be written again without loss: numbers are finite, and nesting is limited. */
function canBeWritten(value: Json, level = 0): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return (
    level <= userLimits.nestingLevels &&
    Object.values(value).every((member) => canBeWritten(member, level + 1))
  );
}
