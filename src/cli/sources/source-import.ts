import { ConfigError } from "../../config/config.ts";
import { isEmpty } from "./conversions.ts";
import { readCsvRecords } from "./csv-records.ts";
import { decodeSource } from "./decode.ts";
import { ExportedGroups } from "./exported-groups.ts";
import { readJsonRecords } from "./json-records.ts";
import { readLdifRecords } from "./ldif-records.ts";
import { LeftOut } from "./left-out.ts";
import { Mapping } from "./mapping.ts";
import { allFor, type Source, type SourceRecord } from "./source.ts";

const WITHOUT_GROUPS = "You left groups out with --no-groups.";
const formatNames = { json: "JSON", csv: "CSV", ldif: "LDIF" };

/** Reads the export of another system as users of Roster, as often as the import is repeated. */
export class SourceImport {
  readonly leftOut = new LeftOut();
  readonly mapping: Mapping;
  /** Undefined if the system has no groups, or they are left out. */
  readonly groups: ExportedGroups | undefined;
  readonly #source: Source;
  /** Ids of the other system, by line, of users without a result so far. */
  readonly #ids = new Map<number, string>();
  #lastResult = 0;
  /** The records that the report counts. A repeated import counts no record twice. */
  #counted = 0;
  #read = 0;

  constructor(source: Source, names: ReadonlyMap<string, string>, { withGroups = true } = {}) {
    this.#source = source;
    this.mapping = new Mapping(withGroups ? source : withoutMemberships(source), names);
    this.groups = withGroups && source.groups ? new ExportedGroups(source.groups) : undefined;
  }

  /** NDJSON, some users at a time. Throws a `ConfigError` if the source is not an export of the system. */
  async *read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
    this.#ids.clear();
    this.#read = 0;
    this.groups?.start();
    let line = 0;
    for await (const records of await this.#records(bytes)) {
      let text = "";
      for (const record of records) {
        const isNew = ++this.#read > this.#counted;
        if (isNew) this.#counted = this.#read;
        if (this.groups?.addRecord(record)) continue;
        const kind = this.#kindOf(record);
        if (kind !== undefined) {
          if (isNew) this.leftOut.addRecord(kind);
          continue;
        }
        this.#checkUser(record);
        const user = this.mapping.apply(record, (path, reason) => {
          if (isNew) this.leftOut.addField(path, reason);
        });
        line++;
        this.groups?.addUser(record, line);
        if (line > this.#lastResult) this.#ids.set(line, String(user[this.#source.id] ?? ""));
        text += `${JSON.stringify(user)}\n`;
      }
      yield text;
    }
    this.groups?.end();
  }

  /** What the record is, if it is not imported. */
  #kindOf(record: SourceRecord): string | undefined {
    const isGroup = !this.groups && this.#source.groups?.read(record) !== undefined;
    return isGroup ? "groups" : this.#source.skip?.(record);
  }

  /** The id of the other system in a line of the import, when its result arrives. */
  takeId(line: number): string {
    const id = this.#ids.get(line) ?? "";
    this.#ids.delete(line);
    this.#lastResult = line;
    return id;
  }

  async #records(source: AsyncIterable<Uint8Array>): Promise<AsyncGenerator<SourceRecord[], void>> {
    const { bytes, head } = await decodeSource(source);
    const { formats, collection, columns, groups } = this.#source;
    const isJson = "[{".includes(head.trimStart()[0] ?? "");
    if (formats.includes("json") && isJson) return readJsonRecords(bytes, collection, groups?.collection);
    if (formats.includes("csv") && !isJson) return readCsvRecords(bytes, columns);
    if (formats.includes("ldif") && !isJson) {
      const names = [this.#source, groups].flatMap((mapping) => [
        ...(mapping?.rules.flatMap(({ from }) => from) ?? []),
        ...Object.keys(mapping?.leftOut ?? {}),
        ...(mapping?.memberships ?? []),
      ]);
      return readLdifRecords(bytes, names, this.#reportUnread);
    }
    const expected = formats.map((format) => formatNames[format]).join(" or ");
    throw new ConfigError(`An export of ${this.#source.title} is ${expected}. This file is not.`);
  }

  /** The entry is not counted yet, so its number is one higher. */
  readonly #reportUnread = (path: string, reason: string, entry: SourceRecord): void => {
    if (this.#read < this.#counted) return;
    const isGroup = this.#source.groups?.read(entry) !== undefined;
    (isGroup ? this.groups : this)?.leftOut.addField(path, reason);
  };

  #checkUser(record: SourceRecord): void {
    const { expected, title, collection } = this.#source;
    if (expected.some((path) => !isEmpty(record[path]))) return;
    const lists = Object.keys(record).filter((name) => Array.isArray(record[name]));
    const hint =
      lists.length === 0
        ? "Check --from."
        : `It has the lists ${lists.slice(0, 10).join(", ")}: choose the one with the users by --collection. Default: ${collection}.`;
    throw new ConfigError(
      `Record ${this.#read} of the file is not a user of ${title}: it has no ${expected.join(" or ")}. ${hint}`,
    );
  }
}

function withoutMemberships(source: Source): Source {
  const { memberships = [], leftOut } = source;
  return { ...source, memberships: [], leftOut: { ...leftOut, ...allFor(WITHOUT_GROUPS, memberships) } };
}
