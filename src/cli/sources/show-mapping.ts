import type { Screen } from "../command.ts";
import { print } from "../output/print.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";
import { Mapping } from "./mapping.ts";
import { type SourceName, sources } from "./sources.ts";

/** Prints which field of another system becomes which field of Roster. */
export async function showMapping(
  screen: Screen,
  from: SourceName,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const system = await sources[from]();
  const rows = new Mapping(system, names).describe();
  screen.write(formatTable([system.title, "Roster", "note"], rows, terminalWidth(screen), []));
  print(screen, "Change it with --map OLD=NEW. --map OLD= leaves the field out.");
}
