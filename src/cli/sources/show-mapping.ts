import type { Screen } from "../command.ts";
import { print } from "../output/print.ts";
import { terminalWidth } from "../output/screen-width.ts";
import { formatTable } from "../output/table.ts";
import { Mapping } from "./mapping.ts";
import { type GroupSourceName, groupSources, type SourceName, sources } from "./sources.ts";

/** Prints which field of another system becomes which field of a user, and of a group. */
export async function showMapping(
  screen: Screen,
  from: SourceName,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const system = await sources[from]();
  printMapping(screen, system.title, new Mapping(system, names));
  print(screen, HINT);
  if (system.groups) {
    printMapping(screen, `groups of ${system.title}`, new Mapping(system.groups, new Map(), "groups"));
  }
}

/** Prints which field of another system becomes which field of a group. */
export async function showGroupMapping(
  screen: Screen,
  from: GroupSourceName,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const { title, groups } = await groupSources[from]();
  printMapping(screen, `groups of ${title}`, new Mapping(groups, names, "groups"));
  print(screen, HINT);
}

const HINT = "Change it with --map OLD=NEW. --map OLD= leaves the field out.";

function printMapping(screen: Screen, title: string, mapping: Mapping): void {
  screen.write(formatTable([title, "Roster", "note"], mapping.describe(), terminalWidth(screen), []));
}
