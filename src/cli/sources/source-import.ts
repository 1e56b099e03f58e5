import { ConfigError } from "../../config/config.ts";
import { isEmpty } from "./conversions.ts";
import { readCsvRecords } from "./csv-records.ts";
import { decodeSource } from "./decode.ts";
import { ExportedGroups } from "./exported-groups.ts";
import { readJsonRecords } from "./json-records.ts";
import { readLdifRecords } from "./ldif-records.ts";
import { LeftOut } from "./left-out.ts";
import { type Mapped, Mapping } from "./mapping.ts";
import { toLine } from "./refused-lines.ts";
import { allFor, type Source, type SourceRecord } from "./source.ts";

const WITHOUT_GROUPS = "You left groups out with --no-groups.";
const formatNames = { json: "JSON", csv: "CSV", ldif: "LDIF" };

interface SourceOptions {
  readonly withGroups?: boolean;
  /** Whether users that exist are updated. */
  readonly isPatch?: boolean;
  /** The pairs of --map for groups. */
  readonly groupNames?: ReadonlyMap<string, string>;
}

/** A user whose line has been sent. */
export interface SentUser extends Omit<Mapped, "record"> {
  readonly sourceId: string;
}

/** Reads the export of another system as users of Roster, as often as the import is repeated. */
export class SourceImport {
  readonly leftOut = new LeftOut();
  readonly mapping: Mapping;
  /** Undefined if the system has no groups, or they are left out. */
  readonly groups: ExportedGroups | undefined;
  readonly #source: Source;
  readonly #isPatch: boolean;
  /** By line, the users without a result so far. */
  readonly #sent = new Map<number, SentUser>();
  #lastResult = 0;
  /** The records that the report counts. A repeated import counts no record twice. */
  #counted = 0;
  #read = 0;

  constructor(
    source: Source,
    names: ReadonlyMap<string, string>,
    { withGroups = true, isPatch = false, groupNames }: SourceOptions = {},
  ) {
    this.#source = source;
    this.#isPatch = isPatch;
    this.mapping = new Mapping(withGroups ? source : withoutMemberships(source), names);
    this.groups = withGroups && source.groups ? new ExportedGroups(source.groups, groupNames) : undefined;
  }

  /** NDJSON, some users at a time. Throws a `ConfigError` if the source is not an export of the system. */
  async *read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
    this.#sent.clear();
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
        const mapped = this.mapping.apply(record, (path, reason) => {
          if (isNew) this.leftOut.addField(path, reason);
        });
        const user = this.#isPatch ? this.#toPatch(mapped) : mapped;
        line++;
        this.groups?.addUser(record, line);
        if (line > this.#lastResult) {
          const { record: fields, ...rest } = user;
          this.#sent.set(line, { ...rest, sourceId: String(fields[this.#source.id] ?? "") });
        }
        text += `${toLine(user)}\n`;
      }
      yield text;
    }
    this.groups?.end();
  }

  #toPatch(mapped: Mapped): Mapped {
    const { toPatch } = this.#source.converter ?? {};
    if (!toPatch) return mapped;
    const { record, withoutEmail } = mapped;
    return { ...mapped, record: toPatch(record), withoutEmail: withoutEmail && toPatch(withoutEmail) };
  }

  /** What the record is, if it is not imported. */
  #kindOf(record: SourceRecord): string | undefined {
    const isGroup = !this.groups && this.#source.groups?.read(record) !== undefined;
    return isGroup ? "groups" : this.#source.skip?.(record);
  }

  /** The id of the other system in a line of the import, when its result arrives. */
  takeId(line: number): string {
    const { sourceId = "" } = this.#sent.get(line) ?? {};
    this.#sent.delete(line);
    this.#lastResult = line;
    return sourceId;
  }

  /** The user of a line, until its id is taken. */
  sent(line: number): SentUser | undefined {
    return this.#sent.get(line);
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
    const { expected, title, collection, noun = "user" } = this.#source;
    if (expected.some((path) => !isEmpty(record[path]))) return;
    const lists = Object.keys(record).filter((name) => Array.isArray(record[name]));
    const hint =
      lists.length === 0 || noun === "group"
        ? "Check --from."
        : `It has the lists ${lists.slice(0, 10).join(", ")}: choose the one with the users by --collection. Default: ${collection}.`;
    throw new ConfigError(
      `Record ${this.#read} of the file is not a ${noun} of ${title}: it has no ${expected.join(" or ")}. ${hint}`,
    );
  }
}

function withoutMemberships(source: Source): Source {
  const { memberships = [], leftOut } = source;
  return { ...source, memberships: [], leftOut: { ...leftOut, ...allFor(WITHOUT_GROUPS, memberships) } };
}
