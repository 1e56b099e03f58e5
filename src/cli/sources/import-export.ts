import { createHash } from "node:crypto";
import type { Client, ConflictAction, ImportedLine, Membership } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { CommandContext, Screen } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ImportInput, Input } from "../import-input.ts";
import {
  describeMemberships,
  describeRecords,
  importLines,
  type LineImport,
  printImport,
} from "../import-lines.ts";
import { FailedLines } from "../output/failed-lines.ts";
import { formatCount } from "../output/format-count.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import type { Profile } from "../profiles.ts";
import { whoAmI } from "../who-am-i.ts";
import type { ExportedGroups } from "./exported-groups.ts";
import { MembershipPlan, type PlannedMemberships } from "./membership-plan.ts";
import { type ExportOptions, openExport } from "./open-export.ts";
import { ResultIds } from "./result-ids.ts";

/** Groups that are named one by one. */
const MAX_SHOWN_GROUPS = 10;

interface ExportImport
  extends ExportOptions,
    Pick<LineImport, "idempotencyKey" | "dryRun" | "printsResults"> {
  readonly place: Input;
  readonly flatten: boolean;
  readonly onConflict: ConflictAction;
  readonly client: Client;
  /** The service of the client. */
  readonly service: Profile;
  readonly timeout: number;
  /** Starts the import of users. */
  startUsers(input: ImportInput, idempotencyKey: string): AsyncIterable<ImportedLine>;
  /** The file of --errors. */
  readonly errors: string | undefined;
}

/** Imports an export of another system: the users, then the groups, then who is in them. Sets the exit code. */
export async function importExport(options: ExportImport, context: CommandContext): Promise<void> {
  const input = await openExport(options.place, options);
  if (input.groups) await requireScopes(options);
  const failures = new FailedLines(context.stderr, options.errors);
  const userIds = new ResultIds();
  const { idempotencyKey, dryRun, printsResults, startUsers, onConflict, place } = options;
  const part = { place, idempotencyKey, dryRun, printsResults };
  const newKey = crypto.randomUUID();
  const users: LineImport = {
    ...part,
    input,
    parts: { newKey, haveBegun: false },
    start: (key) => userIds.watch(startUsers(input, key)),
    describe: describeRecords("user", { onConflict, dryRun }),
  };
  let areAllSent = true;
  try {
    printImport(users, await importLines(users, failures, context), context);
    if (input.groups) {
      areAllSent = await importGroups({ ...options, part, newKey, userIds }, input.groups, failures, context);
    }
  } finally {
    await failures.close();
  }
  if (failures.count > 0 || !areAllSent) process.exitCode = exitCodes.failed.code;
}

interface GroupImport extends Pick<ExportImport, "client" | "flatten" | "onConflict"> {
  /** What the imports of users, groups and memberships have in common. */
  readonly part: Omit<LineImport, "input" | "start" | "describe">;
  readonly newKey: string;
  readonly userIds: ResultIds;
}

/** Returns false if a group was not sent because another one has its name. */
async function importGroups(
  { client, flatten, onConflict, part, newKey, userIds }: GroupImport,
  groups: ExportedGroups,
  failures: FailedLines,
  context: CommandContext,
): Promise<boolean> {
  if (groups.all.length === 0) return true;
  const { dryRun } = part;
  const { selected, sameName } = groups.select({ flatten });
  // Groups and memberships are in memory, and can be sent again even if the users came from a pipe.
  const common = {
    ...part,
    place: { ...part.place, isFile: true },
    parts: { newKey, haveBegun: true },
  };
  const importPart = async (lines: LineImport, { created = 0 } = {}) => {
    // Results on stdout are those of users.
    const counts = await importLines({ ...lines, printsResults: false }, failures, context);
    printImport(lines, { ...counts, created: counts.created + created }, context);
  };

  const bodies = selected.map((index) => `${groups.all[index]?.json}\n`);
  const groupIds = new ResultIds();
  await importPart({
    ...common,
    input: {
      unit: "groups",
      total: bodies.length,
      done: (line) => line,
      describe(line) {
        const { name = "", sourceId = "" } = groups.all[selected[line - 1] ?? -1] ?? {};
        return { name: `group ${name}`, sourceId };
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
      const importKey = keyOfGroups(key, bodies);
      return groupIds.watch(
        client.groups.import(bodies, { idempotencyKey: importKey, onConflict, match: "name", dryRun }),
      );
    },
    describe: describeRecords("group", { onConflict, dryRun }),
    noun: "group",
  });

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
        printReport: (screen) => printLeftOut(screen, planned, groups, flatten),
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
  flatten: boolean,
): void {
  const { unknown, ambiguous, nested, nestedMembers, areParts } = graph.count();
  const reasons: [number, string][] = [
    [withoutUser, "the user was not imported"],
    [withoutGroup, "the group was not imported"],
    [unknown, "the member is not a user or a group of the export"],
    [ambiguous, "several users or groups of the export have the name of the member or the group"],
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

/** Throws a `ConfigError` before anything is imported: users without their groups would be half of the export. */
async function requireScopes({
  service,
  timeout,
  dryRun,
}: Pick<ExportImport, "service" | "timeout" | "dryRun">): Promise<void> {
  const { scopes } = await whoAmI(service, timeout);
  const needed = ["groups:write", "users:read", ...(dryRun ? (["groups:read"] as const) : [])] as const;
  const missing = needed.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  throw new ConfigError(
    `The key has no scope ${missing.join(" and ")}, and groups need it. Use a key with ${needed.join(", ")}, or import only users with --no-groups.`,
  );
}

/** The key of the import of these groups, in a command with this key. Other groups are another import: `--flatten` adds some. */
function keyOfGroups(key: string, lines: readonly string[]): string {
  const hash = createHash("sha256").update(`${key}\n`);
  for (const line of lines) hash.update(line);
  return `groups-${hash.digest("hex")}`;
}
