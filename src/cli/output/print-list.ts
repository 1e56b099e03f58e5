import type { CommandContext } from "../command.ts";
import { paint } from "./colour.ts";
import { formatJsonList } from "./json-list.ts";
import { print } from "./print.ts";
import { terminalWidth } from "./screen-width.ts";
import { formatTable } from "./table.ts";

/** How a list looks as a table. */
interface TableFormat<Item> {
  readonly head: readonly string[];
  readonly toRow: (item: Item) => readonly string[];
  /** The message if there are no items. */
  readonly empty: string;
}

/** Prints a list: a table on a terminal and NDJSON in a pipe, unless `output` says otherwise. */
export function printList<Item>(
  { stdout, stderr }: Pick<CommandContext, "stdout" | "stderr">,
  items: readonly Item[],
  output: "table" | "json" | "ndjson" | undefined,
  { head, toRow, empty }: TableFormat<Item>,
): void {
  if (items.length === 0 && output !== "json") {
    print(stderr, empty);
  } else if ((output ?? (stdout.isTTY ? "table" : "ndjson")) === "table") {
    const rows = items.map(toRow);
    stdout.write(formatTable(head, rows, terminalWidth(stdout), [], (line) => paint(stdout, "dim", line)));
  } else {
    stdout.write(formatJsonList(items, output === "json"));
  }
}
