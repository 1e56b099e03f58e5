import type { Client, ConflictAction } from "../../client/index.ts";
import type { CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Input, openBytes } from "../import-input.ts";
import type { LineImport } from "../import-lines.ts";
import { FailedLines } from "../output/failed-lines.ts";
import { print } from "../output/print.ts";
import { importGroups } from "./import-groups.ts";
import type { UserIds } from "./membership-plan.ts";
import type { GroupSource } from "./source.ts";
import { SourceImport } from "./source-import.ts";
import { type GroupSourceName, groupSources } from "./sources.ts";

interface GroupExportImport extends Pick<LineImport, "idempotencyKey" | "dryRun" | "printsResults"> {
  readonly place: Input;
  readonly from: GroupSourceName;
  /** The pairs of --map. */
  readonly names: ReadonlyMap<string, string>;
  readonly flatten: boolean;
  readonly onConflict: ConflictAction;
  readonly client: Client;
  /** The file of --errors. */
  readonly errors: string | undefined;
}

/** The graph has the members by their ids in Roster. */
const knownIds: UserIds = { has: () => true, idOf: (id) => id };

/**
 * Imports the groups of an export, and who is in them: users that were imported before, which keep their ids of the other system.
 * Sets the exit code.
 */
export async function importGroupExport(
  { place, from, names, errors, printsResults, ...options }: GroupExportImport,
  context: CommandContext,
): Promise<void> {
  const system = await groupSources[from]();
  const source = new SourceImport(system, new Map(), { groupNames: names });
  const failures = new FailedLines(context.stderr, errors);
  let areAllSent = true;
  try {
    // The export has no lines of users. All groups are in memory then.
    for await (const _ of source.read(openBytes(place)));
    const { groups } = source;
    if (!groups) return;
    await addMembers(options.client, system, groups.graph);
    const { idempotencyKey, dryRun } = options;
    areAllSent = await importGroups(
      {
        ...options,
        part: { place, idempotencyKey, dryRun, printsResults },
        newKey: crypto.randomUUID(),
        userIds: knownIds,
        haveBegun: false,
        printsGroups: printsResults,
        unknownReason: `no user has the id of the member in the field ${system.id}`,
      },
      groups,
      failures,
      context,
    );
    const screen = printsResults ? context.stderr : context.stdout;
    source.leftOut.print(screen);
    const unused = [...groups.mapping.unusedNames];
    if (unused.length > 0) print(screen, `No group has the field ${unused.join(", ")} of --map.`);
  } finally {
    await failures.close();
  }
  if (failures.count > 0 || !areAllSent) process.exitCode = exitCodes.failed.code;
}

/** Adds the users that groups name. */
async function addMembers(
  { users }: Client,
  { id: field, groups }: GroupSource,
  graph: NonNullable<SourceImport["groups"]>["graph"],
): Promise<void> {
  for await (const { id, [field]: sourceId } of users.export({
    filter: `${field} pr`,
    fields: ["id", field],
  })) {
    const keys = groups.keysOf({ id: sourceId });
    // Several users can have the same id of the other system, but not the first key.
    if (id !== undefined && keys.some((key) => graph.knows(key)))
      graph.addUser(id, [`roster:${id}`, ...keys], []);
  }
}
