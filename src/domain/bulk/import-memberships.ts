import type { Origin } from "../caller.ts";
import type { CsvRules } from "../csv/columns.ts";
import { parseReference } from "../csv/reference-cells.ts";
import { checkMembership, type NamedMembership, type Reference } from "../groups/check-membership.ts";
import type { GroupStore, MembershipLine, MembershipResult } from "../groups/group-store.ts";
import type { IdempotencyKey } from "../idempotency-key.ts";
import type { ImportDryRun, ImportLine, ImportOutcome, LineResult } from "../import-row.ts";
import { type ProblemData, ProblemError } from "../problem-error.ts";
import { runInTurns, type Steps } from "../scheduling/steps.ts";
import type { UserStore } from "../users/user-store.ts";
import { DryRunMemory } from "./dry-run-memory.ts";
import type { ImportStore } from "./import-runner.ts";

/** Whether an import removes memberships. By default, it adds them. */
export interface MembershipOptions {
  readonly removes: boolean;
}

/** Whether the membership of a line was added or removed. Otherwise nothing had to change. */
export interface ImportedMembership {
  readonly isChanged: boolean;
}

/** Where memberships are imported. */
export interface MembershipStores {
  readonly groups: Pick<GroupStore, "findByNames" | "importMembers" | "checkMembers" | "listMemberships">;
  readonly users: Pick<UserStore, "findByNames">;
}

const columns = ["group", "user"];

export const membershipCsvRules: CsvRules = {
  invalid: "invalid-group",
  required: [["group"], ["user"]],
  findColumnError: (name) => (columns.includes(name) ? undefined : "Use only the columns group and user."),
  isText: (name) => columns.includes(name),
  isSkipped: () => false,
  readText: parseReference,
};

/** A line that has been parsed, or its problem. */
type ParsedLine = NamedMembership | { readonly problem: ProblemData };

/** Imports memberships: finds the users and groups that lines name, and then adds or removes those that have these ids. */
export class MembershipImport implements ImportStore<MembershipOptions, ImportedMembership> {
  readonly #stores: MembershipStores;
  #writtenBytes = 0;

  constructor(stores: MembershipStores) {
    this.#stores = stores;
  }

  async import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    { removes }: MembershipOptions = { removes: false },
  ): Promise<ImportOutcome<ImportedMembership>> {
    const { parsed, found } = await readLines(this.#stores, lines);
    const { groups } = this.#stores;
    const { results, bytes, replayed } = await groups.importMembers(found, removes, idempotencyKey, by);
    this.#writtenBytes += bytes;
    return { results: results.map((result, index) => toLineResult(result, parsed[index])), replayed };
  }

  /** The bytes of JSON of the groups that have changed since the last call. */
  takeWrittenBytes(): number {
    const bytes = this.#writtenBytes;
    this.#writtenBytes = 0;
    return bytes;
  }

  startDryRun(): ImportDryRun<MembershipOptions, ImportedMembership> {
    return new MembershipDryRun(this.#stores);
  }
}

/** Finds out what an import would do. Remembers which memberships earlier lines would change. */
class MembershipDryRun implements ImportDryRun<MembershipOptions, ImportedMembership> {
  readonly #stores: MembershipStores;
  readonly #memory = new DryRunMemory();
  readonly #changed = new Set<string>();

  constructor(stores: MembershipStores) {
    this.#stores = stores;
  }

  async import(
    lines: readonly ImportLine[],
    _idempotencyKey?: IdempotencyKey,
    _by?: Origin,
    { removes }: MembershipOptions = { removes: false },
  ): Promise<ImportOutcome<ImportedMembership>> {
    const { parsed, found } = await readLines(this.#stores, lines);
    const alone = await this.#stores.groups.checkMembers(found, removes);
    const results = alone.map((result, index) => {
      const line = found[index];
      if (result !== "changed" || line === undefined || typeof line === "string") return result;
      const key = `${line.groupId} ${line.userId}`;
      if (this.#changed.has(key)) return "unchanged";
      this.#memory.add(1);
      this.#changed.add(key);
      return result;
    });
    return { results: results.map((result, index) => toLineResult(result, parsed[index])), replayed: false };
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
    this.#changed.clear();
  }
}

/** Parses the lines, and finds the ids of their groups and users. */
async function readLines(
  { groups, users }: MembershipStores,
  lines: readonly ImportLine[],
): Promise<{ readonly parsed: readonly ParsedLine[]; readonly found: readonly MembershipLine[] }> {
  const groupNames = new Set<string>();
  const userNames = new Set<string>();
  const parsed = await runInTurns(parseLines(lines, groupNames, userNames));
  const none: ReadonlyMap<string, number> = new Map();
  const [groupIds, userIds] = await Promise.all([
    groupNames.size > 0 ? groups.findByNames([...groupNames]) : none,
    userNames.size > 0 ? users.findByNames([...userNames]) : none,
  ]);
  const found = parsed.map((line): MembershipLine => {
    if ("problem" in line) return line.problem.type;
    const groupId = idOf(line.group, groupIds);
    if (groupId === undefined) return "group-not-found";
    const userId = idOf(line.user, userIds);
    return userId === undefined ? "user-not-found" : { groupId, userId };
  });
  return { parsed, found };
}

/** Adds the names to find. */
function* parseLines(
  lines: readonly ImportLine[],
  groupNames: Set<string>,
  userNames: Set<string>,
): Steps<ParsedLine[]> {
  const parsed: ParsedLine[] = [];
  for (const line of lines) {
    const membership = parseLine(line);
    parsed.push(membership);
    yield;
    if ("problem" in membership) continue;
    if (typeof membership.group !== "number") groupNames.add(membership.group.key);
    if (typeof membership.user !== "number") userNames.add(membership.user.key);
  }
  return parsed;
}

function parseLine(line: ImportLine): ParsedLine {
  if ("problem" in line) return line;
  try {
    return checkMembership(line.json);
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.data };
    throw error;
  }
}

function idOf(reference: Reference, ids: ReadonlyMap<string, number>): number | undefined {
  return typeof reference === "number" ? reference : ids.get(reference.key);
}

/** A problem names what the line names. A stored problem may be another one than the line would have now. */
function toLineResult(
  result: MembershipResult,
  line: ParsedLine | undefined,
): LineResult<ImportedMembership> {
  if (result === "changed" || result === "unchanged") return { isChanged: result === "changed" };
  if (line && "problem" in line) {
    return { problem: line.problem.type === result ? line.problem : new ProblemError(result).data };
  }
  if (line && result === "group-not-found") return { problem: { type: result, detail: noGroup(line.group) } };
  if (line && result === "user-not-found") return { problem: { type: result, detail: noUser(line.user) } };
  return { problem: new ProblemError(result).data };
}

function noGroup(group: Reference): string {
  return typeof group === "number" ? `There is no group ${group}.` : `No group has the name "${group.text}".`;
}

function noUser(user: Reference): string {
  return typeof user === "number"
    ? `There is no user ${user}.`
    : `No user has the user name or the email "${user.text}".`;
}
