import { expect } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { defaultRecordRules } from "../../../src/domain/users/record-rules.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import {
  type CommandResult,
  type Roster,
  runRoster,
  spawnRoster,
  startRoster,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { expectError, flags } from "./commands.ts";
import { stop } from "./stop.ts";
import { untilOf } from "./until-running.ts";

/** So many users that a move can be interrupted. */
export const MANY = 10_000;

const names = [
  "Ada Lovelace",
  "José Müller",
  "Zoë",
  "Ærøskøbing",
  "Михаил Булгаков",
  "村上 春樹",
  "Ἀθηνᾶ",
  "🦊 Fox",
];
const teams = ["red", "green", "blue", "straße"];
const notes = 'Quotes " and \\ and\ttabs\nand lines \u2028 and 𝔘nicode';

/** A create with an idempotency key, and its response. */
export interface CreateOutcome {
  readonly key: string;
  readonly body: object;
  readonly code: number;
  readonly text: string;
}

/**
 * Fills the service with users in several scripts, with emails, custom fields, later versions, and gaps of deleted users,
 * the last ones included. Returns the outcomes of creates with idempotency keys, successful and failed.
 */
export async function populate(roster: Roster, users: number): Promise<CreateOutcome[]> {
  const create = async (i: number) => {
    const record = {
      name: `${names[i % names.length]} ${i}`,
      ...(i % 3 !== 0 && { email: `User.${i}@Example${i % 7}.com` }),
      team: teams[i % teams.length],
      ...(i % 5 === 0 && { level: i / 4, vip: i % 2 === 0, nothing: null }),
      ...(i % 11 === 0 && { notes, nested: { list: [1, "two", { three: null }] } }),
    };
    expect((await roster.call("/api/users", { method: "POST", json: record })).status).toBe(201);
  };
  for (let i = 0; i < users; i += 250) {
    await Promise.all(Array.from({ length: 250 }, (_, offset) => create(i + offset)));
  }
  const edits = Array.from({ length: users / 10 }, (_, index) => index * 7 + 1).filter(
    (id) => id <= users - 10,
  );
  for (const version of [1, 2]) {
    await Promise.all(
      edits
        .filter((id) => id % version === 0)
        .map((id) => roster.call(`/api/users/${id}`, { method: "PATCH", json: { edited: version } })),
    );
  }
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, i) => createOnce(roster, i)));
  for (const id of [2, 3, 500, ...Array.from({ length: 60 }, (_, index) => users + index - 10)]) {
    await roster.call(`/api/users/${id}`, { method: "DELETE" });
  }
  return outcomes;
}

/** Creates a user, one with an email in use, or an invalid one. */
async function createOnce(roster: Roster, i: number): Promise<CreateOutcome> {
  const key = `key ${String(i).padStart(3, "0")} "quoted"`;
  const body =
    i % 4 === 0
      ? { name: "" }
      : i % 4 === 1
        ? { name: "Taken", email: "user.1@EXAMPLE1.com" }
        : { name: `Once ${i}`, i };
  const { status, text } = await send(roster, key, body);
  expect(status).toBe(i % 4 === 0 ? 422 : i % 4 === 1 ? 409 : 201);
  return { key, body, code: status, text };
}

async function send(roster: Roster, key: string, body: object) {
  const response = await roster.call("/api/users", {
    method: "POST",
    json: body,
    headers: { "idempotency-key": key },
  });
  // Problems differ only in the request id.
  const text = (await response.text()).replace(/"(instance|requestId)":"[^"]*",?/g, "");
  return { status: response.status, text, replayed: response.headers.get("idempotency-replayed") };
}

/** Repeats the creates: the responses must be the same. */
export async function expectReplays(roster: Roster, outcomes: readonly CreateOutcome[]): Promise<void> {
  for (const { key, body, code, text } of outcomes) {
    expect(await send(roster, key, body)).toEqual({ status: code, text, replayed: "true" });
  }
  const { text } = await send(roster, outcomes[0]?.key ?? "", { name: "Another" });
  expect(text).toContain("idempotency-mismatch");
}

const lists = [
  "",
  "sort=name",
  "sort=-email",
  "sort=createdAt",
  "sort=-updatedAt",
  "q=lovelace",
  "q=mul",
  "q=zo",
  "q=%E6%9D%91",
  "q=example3.com",
  "q=%D0%B1%D1%83%D0%BB%D0%B3",
  "team=red",
  "team=stra%C3%9Fe&sort=-name",
  "level=5",
  "vip=true&team=red",
  "nothing=null",
  `notes=${encodeURIComponent(notes)}`,
  "email=user.1@example1.com",
  "version=2",
  "edited=2&q=example",
];

/** The bytes of all pages of every list, and its count. */
export async function picture(roster: Roster, queries = lists): Promise<Record<string, string>> {
  const shown: Record<string, string> = {};
  for (const query of queries) {
    const pages: string[] = [];
    let total = "";
    let path: string | undefined = `/api/users?limit=1000&count=true&${query}`;
    while (path !== undefined) {
      const response: Response = await roster.call(path);
      expect({ path, code: response.status }).toEqual({ path, code: 200 });
      pages.push((await response.text()).slice(1, -1));
      total = response.headers.get("x-total-count") ?? "";
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    }
    shown[query] = `${total}: ${pages.filter((page) => page !== "").join(",")}`;
  }
  return shown;
}

/** Expects the same lists of the users of `fillFile` from both services. */
export async function expectSame(one: Roster, other: Roster): Promise<void> {
  const queries = ["", "sort=-email", "q=user 77", "part=500"];
  expect(await picture(one, queries)).toEqual(await picture(other, queries));
}

/** Creates a file with many users, without HTTP. */
export async function fillFile(path: string, users: number): Promise<void> {
  const options = { path, batch: 500, queue: 500, waitMs: 60_000, recordRules: defaultRecordRules };
  const store = openSqliteStore(options, { committed: () => undefined });
  for (let i = 0; i < users; i += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, offset) =>
        store.users.create({
          record: { name: `User ${i + offset}`, email: `u${i + offset}@example.com`, part: i },
        }),
      ),
    );
  }
  await store.close();
}

export function serve(database: string): Promise<Roster> {
  return startRoster(database, { flags });
}

export function move(from: string, to: string, ...more: string[]): Promise<CommandResult> {
  return runRoster(["move", `--from=${from}`, `--to=${to}`, ...flags, ...more]);
}

export function beginMove(from: string, to: string) {
  return spawnRoster(["move", `--from=${from}`, `--to=${to}`, ...flags]);
}

/** Expects a successful move without messages on stderr. */
export async function expectMoved(from: string, to: string): Promise<string> {
  const ran = await move(from, to);
  expect(ran).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(ran.stdout).toMatch(
    /^Moved everything from \S+ to \S+\.\n(?: {2}[a-z_]+ +[\d,]+\n)+ {2}seconds +[\d.]+\n {2}sha256 +[0-9a-f]{64}\n$/,
  );
  return ran.stdout;
}

/** Expects that a service does not start on the database, with one line. */
export async function expectUnserved(database: string): Promise<void> {
  const args = ["serve", "--port=0", `--database=${database}`, ...flags];
  expectError(await runRoster(args), 1, "roster move");
}

/** A path in a temporary folder. */
export function file(name = "roster.db"): string {
  return join(temporaryFolder(), name);
}

/** Whether the file has users, by its size: the move locks the file. */
function hasGrown(path: string): boolean {
  return existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 1_000_000;
}

/** Begins a move into a file and ends it when some users are there. A move that finishes earlier is tried again. */
export async function interruptIntoFile(from: string, signal: "SIGTERM" | "SIGKILL") {
  for (let attempt = 1; ; attempt++) {
    const to = file(`target${attempt}.db`);
    const moving = beginMove(from, to);
    await untilOf(moving, () => hasGrown(to) || moving.stdout.length > 0);
    moving.kill(signal);
    const exited = await moving.exited;
    if (exited.code !== 0 || attempt === 20) return { to, exited, stderr: moving.stderr };
  }
}

/** Changes a copied user, deletes another, and gives the email of the first to a new user. */
export async function changeSource(database: string): Promise<void> {
  const source = await serve(database);
  await source.call("/api/users/1", { method: "PATCH", json: { email: null, changed: true } });
  await source.call("/api/users/2", { method: "DELETE" });
  const heir = { name: "Heir", email: "u0@example.com" };
  expect((await source.call("/api/users", { method: "POST", json: heir })).status).toBe(201);
  await stop(source);
}
