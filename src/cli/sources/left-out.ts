import type { Screen } from "../command.ts";
import { formatCount } from "../output/format-count.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";
import { EMPTY, UNKNOWN } from "./source.ts";

/** Different fields that are counted one by one. */
const MAX_FIELDS = 1000;
/** Fields that are shown. */
const MAX_SHOWN = 40;

interface LeftOutField {
  readonly path: string;
  readonly reason: string;
  count: number;
}

/** Counts what an import leaves out. */
export class LeftOut {
  /** By path and reason. */
  readonly #fields = new Map<string, LeftOutField>();
  readonly #skipped = new Map<string, number>();
  readonly #records: "users" | "groups";
  #others = 0;

  constructor(records: "users" | "groups" = "users") {
    this.#records = records;
  }

  /** A field of a user or a group that is not imported. */
  addField(path: string, reason: string): void {
    const key = `${reason}${path}`;
    const field = this.#fields.get(key);
    if (field) field.count++;
    else if (this.#fields.size < MAX_FIELDS) this.#fields.set(key, { path, reason, count: 1 });
    else this.#others++;
  }

  /** A record that is not imported. */
  addRecord(kind: string): void {
    if (this.#skipped.size < MAX_FIELDS || this.#skipped.has(kind)) {
      this.#skipped.set(kind, (this.#skipped.get(kind) ?? 0) + 1);
    } else this.#others++;
  }

  print(screen: Screen): void {
    for (const [kind, count] of this.#skipped) {
      print(screen, `Not imported: ${formatCount(count, "record")} (${printable(kind)}).`);
    }
    const fields = [...this.#fields.values()].sort((one, other) => other.count - one.count);
    this.#printFields(
      screen,
      fields.filter(({ reason }) => reason !== EMPTY),
    );
    this.#printEmpty(
      screen,
      fields.filter(({ reason }) => reason === EMPTY),
    );
  }

  #printFields(screen: Screen, fields: readonly LeftOutField[]): void {
    if (fields.length === 0) return;
    const rows = fields
      .slice(0, MAX_SHOWN)
      .map(({ path, count, reason }) => [printable(path), count.toLocaleString("en"), reason]);
    const areUsers = this.#records === "users";
    print(screen, `Fields ${areUsers ? "" : "of groups "}that were not imported:`);
    screen.write(formatTable(["field", this.#records, "reason"], rows, terminalWidth(screen), [1]));
    const hidden = Math.max(0, fields.length - MAX_SHOWN) + this.#others;
    if (hidden > 0) print(screen, `… and ${hidden.toLocaleString("en")} more.`);
    const unknown = fields.find(({ reason }) => reason === UNKNOWN);
    if (unknown && areUsers) {
      print(screen, `To import such a field, give it a name: --map\u00a0${printable(unknown.path)}=NAME`);
    }
  }

  /** In one line: exports of tables have many empty fields. */
  #printEmpty(screen: Screen, fields: readonly LeftOutField[]): void {
    if (fields.length === 0) return;
    const shown = fields
      .slice(0, MAX_SHOWN)
      .map(({ path, count }) => `${printable(path)} (${count.toLocaleString("en")})`);
    const hidden = fields.length - shown.length;
    const more = hidden > 0 ? ` … and ${hidden.toLocaleString("en")} more` : "";
    print(
      screen,
      `Empty fields that were not imported, and their ${this.#records}: ${shown.join(", ")}${more}.`,
    );
  }
}
