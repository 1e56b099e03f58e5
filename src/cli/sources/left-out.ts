import type { Screen } from "../command.ts";
import { formatCount } from "../output/format-count.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";
import { UNKNOWN } from "./source.ts";

/** Different fields that are counted one by one. */
const MAX_FIELDS = 1000;
/** Fields that are shown. */
const MAX_SHOWN = 40;

/** Counts what an import leaves out. */
export class LeftOut {
  readonly #fields = new Map<string, { count: number; reason: string }>();
  readonly #skipped = new Map<string, number>();
  #others = 0;

  /** A field of a user that is not imported. */
  addField(path: string, reason: string): void {
    const field = this.#fields.get(path);
    if (field) field.count++;
    else if (this.#fields.size < MAX_FIELDS) this.#fields.set(path, { count: 1, reason });
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
    if (this.#fields.size === 0) return;
    const fields = [...this.#fields].sort(([, one], [, other]) => other.count - one.count);
    const rows = fields
      .slice(0, MAX_SHOWN)
      .map(([path, { count, reason }]) => [printable(path), count.toLocaleString("en"), reason]);
    print(screen, "Fields that were not imported:");
    screen.write(formatTable(["field", "users", "reason"], rows, terminalWidth(screen), [1]));
    const hidden = Math.max(0, fields.length - MAX_SHOWN) + this.#others;
    if (hidden > 0) print(screen, `… and ${hidden.toLocaleString("en")} more.`);
    const unknown = fields.find(([, { reason }]) => reason === UNKNOWN)?.[0];
    if (unknown !== undefined) {
      print(screen, `To import such a field, give it a name: --map\u00a0${printable(unknown)}=NAME`);
    }
  }
}
