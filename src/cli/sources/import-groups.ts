import type { Client, ConflictAction, Membership } from "../../client/index.ts";
import type { CommandContext, Screen } from "../command.ts";
import {
  describeMemberships,
  describeRecords,
  importLines,
  type LineImport,
  printImport,
} from "../import-lines.ts";
import type { FailedLines } from "../output/failed-lines.ts";
import { formatCount } from "../output/format-count.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import type { ExportedGroups } from "./exported-groups.ts";
import { MembershipPlan, type PlannedMemberships, type UserIds } from "./membership-plan.ts";
import { keyOfPart } from "./part-key.ts";
import { withRefusals } from "./refused-lines.ts";
import { ResultIds } from "./result-ids.ts";

/** Groups that are named one by one. */
const MAX_SHOWN_GROUPS = 10;

export interface GroupImport {
  readonly client: Client;
  readonly flatten: boolean;
  readonly onConflict: ConflictAction;
  /** What the imports of users, groups and memberships have in common. */
  readonly part: Omit<LineImport, "input" | "start" | "describe">;
  readonly newKey: string;
  readonly userIds: UserIds;
  /** Whether earlier parts are imported. */
  readonly haveBegun: boolean;
  /** Print the result of each group to stdout. */
  readonly printsGroups: boolean;
  /** Why members are unknown. */
  readonly unknownReason: string;
}

/** Imports the groups, then who is in them. Returns false if a group was not sent because another one has its name. */
export async function importGroups(
  options: GroupImport,
  groups: ExportedGroups,
  failures: FailedLines,
  context: CommandContext,
): Promise<boolean> {
  const { client, flatten, onConflict, part, newKey, userIds, haveBegun, printsGroups } = options;
  const { dryRun } = part;
  const { selected, sameName } = groups.select({ flatten });
  // Groups and memberships are in memory, and can be sent again even if the users came from a pipe.
  const common = {
    ...part,
    place: { ...part.place, isFile: true },
    parts: { newKey, haveBegun: true },
  };
  const importPart = async (lines: LineImport, { created = 0, printsResults = false } = {}) => {
    const counts = await importLines({ ...lines, printsResults }, failures, context);
    printImport(lines, { ...counts, created: counts.created + created }, context);
  };

  const groupOf = (line: number) => groups.all[selected[line - 1] ?? -1];
  const bodies = selected.map((index) => `${groups.all[index]?.json}\n`);
  const groupIds = new ResultIds();
  const groupLines: LineImport = {
    ...common,
    parts: { newKey, haveBegun },
    input: {
      unit: "groups",
      total: bodies.length,
      done: (line) => line,
      describe(line) {
        const { name = "", sourceId = "" } = groupOf(line) ?? {};
        return { name: `group ${name || sourceId}`, sourceId };
      },
      printReport(screen) {
        const others = sameName.map((index) => groups.all[index]?.sourceId ?? "");
        printGroups(
          screen,
          others,
          (id) => `Not imported: the group ${id} has the name of an earlier group of the export.`,
        );
        printGroups(
          screen,
          groups.repeated,
          (id) =>
            `The group ${id} comes again in the export. Its fields are those of the first time, its members those of each time.`,
        );
        groups.leftOut.print(screen);
      },
    },
    start: (key) => {
      const importKey = keyOfPart("groups", key, bodies);
      const results = client.groups.import(bodies, {
        idempotencyKey: importKey,
        onConflict,
        match: "name",
        dryRun,
      });
      return groupIds.watch(withRefusals(results, (line) => groupOf(line)?.refusal));
    },
    describe: describeRecords("group", { onConflict, dryRun }),
    noun: "group",
  };
  await importPart(groupLines, { printsResults: printsGroups });

  const plan = new MembershipPlan({
    groups,
    sentGroups: selected,
    otherGroups: sameName,
    groupIds,
    userIds,
    flatten,
    dryRun,
  });
  const planned = plan.count();
  const sent = plan.lines();
  // The same memberships again change nothing: a repeated command may use another key.
  const importKey = crypto.randomUUID();
  await importPart(
    {
      ...common,
      input: {
        unit: "memberships",
        total: planned.sent,
        done: (line) => line,
        describe() {
          const { name = "", ...line } = sent.next().value ?? {};
          return { name, ...line };
        },
        printReport: (screen) => printLeftOut(screen, planned, groups, options),
      },
      start: () => client.memberships.import(membershipsOf(plan), { idempotencyKey: importKey, dryRun }),
      describe: (counts) => describeMemberships(counts, { remove: false, dryRun }),
      noun: "membership",
    },
    { created: planned.future },
  );
  return sameName.length === 0;
}

function* membershipsOf(plan: MembershipPlan): Generator<Membership, void> {
  for (const { membership } of plan.lines()) yield membership;
}

function printGroups(screen: Screen, sourceIds: readonly string[], describe: (id: string) => string): void {
  for (const id of sourceIds.slice(0, MAX_SHOWN_GROUPS)) print(screen, printable(describe(id)));
  const more = sourceIds.length - MAX_SHOWN_GROUPS;
  if (more > 0) print(screen, `… and ${more.toLocaleString("en")} more.`);
}

/** Prints the memberships that were not imported, and why. */
function printLeftOut(
  screen: Screen,
  { withoutUser, withoutGroup }: PlannedMemberships,
  { graph }: ExportedGroups,
  { flatten, unknownReason }: GroupImport,
): void {
  const { unknown, ambiguous, nested, nestedMembers, areParts } = graph.count();
  const reasons: [number, string][] = [
    [withoutUser, "the user was not imported"],
    [withoutGroup, "the group was not imported"],
    [unknown, unknownReason],
    [ambiguous, "several users or groups have the name of the member or the group"],
  ];
  for (const [count, reason] of reasons) {
    if (count > 0) print(screen, `Not imported: ${formatCount(count, "membership")} (${reason}).`);
  }
  if (flatten || nested === 0) return;
  const groups = formatCount(nested, "nested group");
  const users = formatCount(nestedMembers, "membership");
  print(
    screen,
    areParts
      ? `Not imported: ${groups} with ${users}. To import each as a group, add --flatten.`
      : `Groups in groups were not imported: ${groups} with ${users}. To add their users to the groups around them, use --flatten.`,
  );
}
