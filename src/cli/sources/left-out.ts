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
  #others = 0;

  /** A field of a user that is not imported. */
  addField(path: string, reason: string): void {
    const key = `${reason}${path}`;
    const field = this.#fields.get(key);
    if (field) field.count++;
    else if (this.#fields.size < MAX_FIELDS) this.#fields.set(key, { path, reason, count: 1 });
    else this.#others++;
  }

  /** A record that is not imported as a user. */
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
    printEmpty(
      screen,
      fields.filter(({ reason }) => reason === EMPTY),
    );
  }

  #printFields(screen: Screen, fields: readonly LeftOutField[]): void {
    if (fields.length === 0) return;
    const rows = fields
      .slice(0, MAX_SHOWN)
      .map(({ path, count, reason }) => [printable(path), count.toLocaleString("en"), reason]);
    print(screen, "Fields that were not imported:");
    screen.write(formatTable(["field", "users", "reason"], rows, terminalWidth(screen), [1]));
    const hidden = Math.max(0, fields.length - MAX_SHOWN) + this.#others;
    if (hidden > 0) print(screen, `… and ${hidden.toLocaleString("en")} more.`);
    const unknown = fields.find(({ reason }) => reason === UNKNOWN);
    if (unknown) {
      print(screen, `To import such a field, give it a name: --map\u00a0${printable(unknown.path)}=NAME`);
    }
  }
}

/** In one line: exports of tables have many empty fields. */
function printEmpty(screen: Screen, fields: readonly LeftOutField[]): void {
  if (fields.length === 0) return;
  const shown = fields
    .slice(0, MAX_SHOWN)
    .map(({ path, count }) => `${printable(path)} (${count.toLocaleString("en")})`);
  const hidden = fields.length - shown.length;
  const more = hidden > 0 ? ` … and ${hidden.toLocaleString("en")} more` : "";
  print(screen, `Empty fields that were not imported, and their users: ${shown.join(", ")}${more}.`);
}
