import type { Screen } from "../command.ts";
import { print } from "../output/print.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";
import { Mapping } from "./mapping.ts";
import { type SourceName, sources } from "./sources.ts";

/** Prints which field of another system becomes which field of a user, and of a group. */
export async function showMapping(
  screen: Screen,
  from: SourceName,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const system = await sources[from]();
  const printTable = (title: string, mapping: Mapping) =>
    screen.write(formatTable([title, "Roster", "note"], mapping.describe(), terminalWidth(screen), []));
  printTable(system.title, new Mapping(system, names));
  print(screen, "Change it with --map OLD=NEW. --map OLD= leaves the field out.");
  if (system.groups) printTable(`groups of ${system.title}`, new Mapping(system.groups, new Map(), "groups"));
}
