import { idempotency, type UserRecord } from "../contract/user.ts";
import { checkUser } from "../domain/check-user.ts";
import { parseJsonText } from "../domain/json-text.ts";
import { Refusal, type RefusalData } from "../domain/refusal.ts";
import type { Actor, Attempt, CreateOutcome, Once, Precondition } from "../domain/store.ts";
import {
  applyEdit,
  type Edit,
  type IndexTerms,
  indexTerms,
  parseUser,
  renderUser,
  type StoredUser,
} from "../domain/user.ts";

/** A write, as plain data: it may cross to the thread that commits. */
export type Write =
  | ReadyWrite
  | {
      readonly do: "import";
      readonly lines: readonly PlainLine[];
      readonly once: Once | undefined;
      readonly by: Actor;
    };

/** A line of an import as it crosses, where objects would cost more than what is in them: its JSON, or why it has none. */
type PlainLine = string | RefusalData;

/** What became of lines, likewise: their ids, or why they were refused. */
interface PlainOutcome {
  readonly users: readonly (number | RefusalData)[];
  readonly replayed: boolean;
}

/** A write whose every record has been read and checked. */
export type ReadyWrite = { readonly by: Actor } & (
  | { readonly do: "create"; readonly attempt: Attempt; readonly once: Once | undefined }
  | { readonly do: "create-all"; readonly attempts: readonly Attempt[]; readonly once: Once | undefined }
  | {
      readonly do: "edit";
      readonly id: number;
      readonly edit: Edit;
      readonly precondition: Precondition | undefined;
    }
  | { readonly do: "remove"; readonly id: number; readonly precondition: Precondition | undefined }
);

export type WriteOutcome =
  | CreateOutcome
  | PlainOutcome
  | { readonly user: StoredUser }
  | { readonly removed: number }
  | { readonly refusal: RefusalData }
  | { readonly failure: string };

/** A user as it is kept. */
export interface UserRow extends StoredUser {
  readonly updatedAt: number;
  readonly changedBy: Actor;
}

/** A user and what is indexed of it. */
export interface IndexedUser {
  readonly row: UserRow;
  readonly terms: IndexTerms;
}

/** How a create, or an import of several, ended under a key. */
export interface KeptOutcome {
  readonly fingerprint: string;
  readonly outcome: CreateOutcome["outcome"] | Pick<PlainOutcome, "users">;
  readonly expiresAt: number;
}

/** What a write needs of an engine, inside one transaction. */
export interface WriteDesk {
  /** The moment of the transaction, in milliseconds and as it is answered. */
  readonly now: number;
  readonly nowText: string;
  /** The id that the next user gets. Asking alone does not use it up. */
  readonly nextId: number;
  read(id: number): UserRow | undefined;
  /** False when another user has the email: nothing is inserted then. */
  insert(user: IndexedUser): boolean;
  /** False when another user has the email: nothing is changed then. */
  update(before: IndexedUser, after: IndexedUser): boolean;
  remove(user: IndexedUser, by: Actor): void;
  findOutcome(once: Once): KeptOutcome | undefined;
  keepOutcome(once: Once, kept: KeptOutcome): void;
}

/** Reads the lines of an import, where they are to be read: away from the event loop if the engine can. */
export function makeReady(write: Write, recordBytes: number): ReadyWrite {
  if (write.do !== "import") return write;
  const { lines, once, by } = write;
  return { do: "create-all", attempts: lines.map((line) => readLine(line, recordBytes)), once, by };
}

/** How much a write counts among those that are committed together. */
export function weightOf(write: Write): number {
  return write.do === "import" ? write.lines.length : 1;
}

/** Does one write, or refuses it and changes nothing; the same on every engine. */
export function applyWrite(desk: WriteDesk, write: ReadyWrite, recordBytes: number): WriteOutcome {
  try {
    switch (write.do) {
      case "create":
        return create(desk, write);
      case "create-all":
        return createAll(desk, write);
      case "edit":
        return { user: edit(desk, write, recordBytes) };
      case "remove":
        return { removed: remove(desk, write) };
    }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.data };
    throw error;
  }
}

function create(
  desk: WriteDesk,
  { attempt, once, by }: Extract<ReadyWrite, { do: "create" }>,
): CreateOutcome {
  const kept = once && keptOutcome(desk, once);
  if (kept && !("users" in kept)) return { outcome: kept, replayed: true };
  const outcome = attemptCreate(desk, attempt, by);
  if (once) keepOutcome(desk, once, outcome);
  return { outcome, replayed: false };
}

function createAll(
  desk: WriteDesk,
  { attempts, once, by }: Extract<ReadyWrite, { do: "create-all" }>,
): PlainOutcome {
  const kept = once && keptOutcome(desk, once);
  if (kept && "users" in kept) return { ...kept, replayed: true };
  const users = attempts.map((attempt) => {
    const outcome = attemptCreate(desk, attempt, by);
    return "user" in outcome ? outcome.user.id : outcome.refusal;
  });
  if (once) keepOutcome(desk, once, { users });
  return { users, replayed: false };
}

function readLine(line: PlainLine, recordBytes: number): Attempt {
  if (typeof line !== "string") return { refusal: line };
  try {
    return { record: checkUser(parseJsonText(line, "line"), recordBytes) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.data };
    throw error;
  }
}

/** How it ended the first time. Fails with `idempotency-mismatch` when that was another request. */
function keptOutcome(desk: WriteDesk, once: Once): KeptOutcome["outcome"] | undefined {
  const kept = desk.findOutcome(once);
  if (kept && kept.fingerprint !== once.fingerprint) throw new Refusal("idempotency-mismatch");
  return kept?.outcome;
}

function keepOutcome(desk: WriteDesk, once: Once, outcome: KeptOutcome["outcome"]): void {
  const expiresAt = desk.now + idempotency.keptHours * 3_600_000;
  desk.keepOutcome(once, { fingerprint: once.fingerprint, outcome, expiresAt });
}

function attemptCreate(desk: WriteDesk, attempt: Attempt, by: Actor): CreateOutcome["outcome"] {
  if ("refusal" in attempt) return attempt;
  const { record } = attempt;
  const user = renderUser(desk.nextId, record, 1, desk.nowText, desk.nowText);
  const made = desk.insert({
    row: { ...user, updatedAt: desk.now, changedBy: by },
    terms: indexTerms(record),
  });
  return made ? { user } : { refusal: emailTaken(record).data };
}

function edit(
  desk: WriteDesk,
  { id, edit: change, precondition, by }: Extract<ReadyWrite, { do: "edit" }>,
  recordBytes: number,
): StoredUser {
  const row = current(desk, id, precondition);
  const { record, createdAt } = parseUser(row.json);
  const next = applyEdit(record, change, recordBytes);
  if (!next) return { id, version: row.version, json: row.json };

  // Time does not run backwards for a user, even if the clock does.
  const updatedAt = Math.max(row.updatedAt, desk.now);
  const updatedText = updatedAt === desk.now ? desk.nowText : new Date(updatedAt).toISOString();
  const user = renderUser(id, next, row.version + 1, createdAt, updatedText);
  const before = { row, terms: indexTerms(record) };
  const after = { row: { ...user, updatedAt, changedBy: by }, terms: indexTerms(next) };
  if (!desk.update(before, after)) throw emailTaken(next);
  return user;
}

function remove(desk: WriteDesk, { id, precondition, by }: Extract<ReadyWrite, { do: "remove" }>): number {
  const row = current(desk, id, precondition);
  desk.remove({ row, terms: indexTerms(parseUser(row.json).record) }, by);
  return id;
}

function current(desk: WriteDesk, id: number, precondition: Precondition | undefined): UserRow {
  const row = desk.read(id);
  if (!row) throw new Refusal("user-not-found", `There is no user ${id}.`);
  if (precondition && precondition !== "any" && !precondition.includes(row.version)) {
    throw new Refusal(
      "version-mismatch",
      `User ${id} is at version ${row.version} now. Nothing was changed.`,
    );
  }
  return row;
}

function emailTaken(record: UserRecord): Refusal {
  return new Refusal("email-taken", undefined, [
    { pointer: "/email", detail: `Another user has ${record.email}.` },
  ]);
}

/** The values of the caller's own fields that one user has and the other has not. */
export function valuesBeyond(terms: IndexTerms, others: IndexTerms): IndexTerms["values"] {
  const name = ([field, value]: readonly [string, string]) => `${field}\n${value}`;
  const known = new Set(others.values.map(name));
  return terms.values.filter((value) => !known.has(name(value)));
}

/** What a caller is told when a write did not come to what was asked. */
export function unexpected(outcome: WriteOutcome): Error {
  if ("refusal" in outcome) return Refusal.of(outcome.refusal);
  return new Error("failure" in outcome ? outcome.failure : "The writer answered another question.");
}
