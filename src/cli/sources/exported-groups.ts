import { foldEmail } from "../../domain/fold.ts";
import { GroupGraph } from "./group-graph.ts";
import { LeftOut } from "./left-out.ts";
import { Mapping } from "./mapping.ts";
import { toLine } from "./refused-lines.ts";
import type { SourceGroup, SourceGroups, SourceRecord } from "./source.ts";

/** A group of an export, as the import sends it. */
export interface ExportedGroup {
  /** What the other system calls it. */
  readonly sourceId: string;
  readonly name: string;
  readonly json: string;
  /** Why it can be no group: its line fails. */
  readonly refusal: string | undefined;
}

/** The groups of an export, and the users in them. Holds the groups, and the keys of users, in memory. */
export class ExportedGroups {
  readonly leftOut = new LeftOut("groups");
  readonly mapping: Mapping;
  readonly #source: SourceGroups;
  /** The groups whose fields the report counts. A repeated import counts no group twice. */
  #counted = 0;
  #all: ExportedGroup[] = [];
  #graph = new GroupGraph();
  /** Groups that come again, by their `sourceId`. */
  #repeated: string[] = [];

  /** `names` are the pairs of --map. Throws a `ConfigError` if one is not valid. */
  constructor(source: SourceGroups, names: ReadonlyMap<string, string> = new Map()) {
    this.#source = source;
    this.mapping = new Mapping(source, names, "groups");
  }

  /** By their index in the graph. */
  get all(): readonly ExportedGroup[] {
    return this.#all;
  }

  get graph(): GroupGraph {
    return this.#graph;
  }

  get repeated(): readonly string[] {
    return this.#repeated;
  }

  /** Begins the export again. */
  start(): void {
    this.#all = [];
    this.#graph = new GroupGraph();
    this.#repeated = [];
  }

  /** Returns false if the record is not a group. */
  addRecord(record: SourceRecord): boolean {
    const groups = this.#source.read(record);
    for (const group of groups ?? []) this.#add(group);
    return groups !== undefined;
  }

  addUser(record: SourceRecord, line: number): void {
    this.#graph.addUser(line, this.#source.keysOf(record), this.#source.groupsOf(record));
  }

  /** Adds the groups that only users name. */
  end(): void {
    this.#graph.addMissing((key) => {
      const group = this.#source.groupOf(key);
      if (group) this.#add(group);
    });
  }

  /** The indexes of groups to import, and of those that have the name of an earlier one. */
  select({ flatten }: { readonly flatten: boolean }): { selected: number[]; sameName: number[] } {
    const names = new Set<string>();
    const selected: number[] = [];
    const sameName: number[] = [];
    for (const [index, { name, refusal }] of this.#all.entries()) {
      if (!flatten && this.#graph.isPart(index)) continue;
      const folded = foldEmail(name.trim());
      (names.has(folded) ? sameName : selected).push(index);
      // A group without a name fails by itself.
      if (refusal === undefined && folded !== "") names.add(folded);
    }
    return { selected, sameName };
  }

  #add(group: SourceGroup): void {
    const index = this.#graph.addGroup(group);
    if (index === undefined) {
      this.#repeated.push(group.sourceId);
      return;
    }
    const isNew = index >= this.#counted;
    const mapped = this.mapping.apply(group.record, (path, reason) => {
      if (isNew) this.leftOut.addField(path, reason);
    });
    if (isNew) this.#counted = index + 1;
    const { record, refusal } = mapped;
    const name = String(record.name ?? "");
    this.#all.push({ sourceId: group.sourceId, name, json: toLine(mapped), refusal });
  }
}
