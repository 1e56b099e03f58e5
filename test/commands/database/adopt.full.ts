import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type Client, createClient, type WebhookWithSecret } from "../../../src/client/index.ts";
import { scopes } from "../../../src/contract/keys/key.ts";
import { type EarlyState, openEarlyDatabase } from "../../store/support/early-database.ts";
import { sameOrigin, signIn } from "../../support/credentials.ts";
import { openTestStore } from "../../support/open-test-store.ts";
import { type Roster, runRoster, startRoster, temporaryFolder } from "../../support/process/roster.ts";
import { describeResponse } from "../../support/responses.ts";
import { copyOf, create, file, valueIn } from "../support/backups.ts";
import { cleanUp, expectError } from "../support/commands.ts";
import { stop } from "../support/stop.ts";

setDefaultTimeout(120_000);
afterEach(cleanUp);

const adopt = (path: string, ...more: string[]) => runRoster(["adopt", path, ...more]);
const ADOPTED =
  /^Adopted \S+\.\n {2}users +[\d,]+\n {2}last change +\S+Z\n(?: {2}next (?:user|group|key|webhook) +[\d,]+\n){4} {2}disabled webhooks +\d+\n {2}seconds +[\d.]+\n$/;

/** What the copy must not lose, and what the lost database gave after the copy. */
interface Written {
  readonly ids: { readonly user: number; readonly key: number; readonly webhook: number };
  /** The id of the last event. */
  readonly event: string;
}

async function write(client: Client): Promise<Written> {
  const user = await client.users.create({ name: "Ada" });
  const { id: key } = await client.keys.create({ name: "ci", scopes: ["users:read"] });
  const webhook: WebhookWithSecret = await client.webhooks.create({
    url: "https://hooks.example.com/",
    types: ["*"],
  });
  return { ids: { user: user.id, key, webhook: webhook.id }, event: await client.events.last() };
}

async function createGroups(path: string, count: number): Promise<void> {
  const store = await openTestStore(path);
  for (let i = 0; i < count; i++) await store.groups.create({ record: { name: `Group ${i}` } });
  await store.close();
}

/** Keeps a copy of a database, and loses what is written after the copy. */
async function loseWrites() {
  const path = file("lost.db");
  await createGroups(path, 3);
  const key = (
    await runRoster(["keys", "create", "--name=all", `--scope=${scopes.join()}`, `--database=${path}`])
  ).stdout.trim();
  const roster = await startRoster(path);
  const kept = await write(createClient({ baseUrl: roster.url, apiKey: key }));
  const session = await signIn(roster, key);
  const copy = file("restored.db");
  using db = new Database(path);
  db.run("VACUUM INTO ?", [copy]);
  const lost = await write(createClient({ baseUrl: roster.url, apiKey: key }));
  roster.kill("SIGKILL");
  await roster.exited;
  return { copy, key, kept, lost, session };
}

test("an adopted copy gives no id and no position that the lost database may have given", async () => {
  const { copy, key, kept, lost, session } = await loseWrites();
  chmodSync(copy, 0o644);
  const adopted = await adopt(copy);
  expect(adopted).toMatchObject({
    code: 0,
    stderr: "To activate a webhook again, use `roster webhooks update ID --active=true`.\n",
  });
  expect(adopted.stdout).toMatch(ADOPTED);
  expect(valueIn(copy, "SELECT last_group_id FROM directory")).toBe(1_000_003);
  expect(statSync(copy).mode & 0o777).toBe(0o600);

  const roster = await startRoster(copy);
  const client = createClient({ baseUrl: roster.url, apiKey: key });
  expect((await client.users.get(kept.ids.user)).name).toBe("Ada");
  expect(await client.webhooks.get(kept.ids.webhook)).toMatchObject({
    active: false,
    disabledReason: "restored",
  });
  const read = (path: string, headers: Record<string, string>) => roster.call(path, { headers });
  expect(await describeResponse(await read("/api/session", { ...session, ...sameOrigin }))).toStartWith(
    "401",
  );

  // Before and after new events.
  const follow = (after: string) => read(`/api/events?after=${after}`, { authorization: `Bearer ${key}` });
  expect(await describeResponse(await follow(lost.event))).toBe("410 events-expired");
  const next = await write(client);
  expect(await describeResponse(await follow(lost.event))).toBe("410 events-expired");
  expect(await describeResponse(await follow(kept.event))).toBe("200");

  expect(next.ids.user).toBe(kept.ids.user + 1_000_001);
  expect(next.ids.key).toBe(kept.ids.key + 1001);
  expect(next.ids.webhook).toBe(kept.ids.webhook + 1001);
  expect(next.event > lost.event).toBe(true);
});

test("a second run is safe, and --skip-ids chooses how many ids of users are skipped", async () => {
  const { copy, kept } = await loseWrites();
  expect(await adopt(copy)).toMatchObject({ code: 0 });
  const identity = () => valueIn(copy, "SELECT identity FROM directory");
  const before = identity();
  const again = await adopt(copy, "--skip-ids=50");
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(again.stdout).toContain(`next user          ${(kept.ids.user + 1_000_051).toLocaleString("en")}\n`);
  expect(again.stdout).toContain("disabled webhooks  0\n");
  expect(identity()).not.toBe(before);
  expect(await runRoster(["doctor", `--database=${copy}`, "--port=0"])).toMatchObject({ code: 0 });
});

test("a run that fails in the middle changes nothing, and the next run adopts the file", async () => {
  const { copy } = await loseWrites();
  const change = (sql: string) => {
    using db = new Database(copy);
    db.run(sql);
  };
  const state = () =>
    ["SELECT last_id || identity || events_after FROM directory", "SELECT max(id) FROM keys"]
      .concat("SELECT count(*) FROM sessions", "SELECT sum(active) FROM webhooks")
      .map((sql) => valueIn(copy, sql));
  const before = state();
  // The keys change last.
  change("CREATE TRIGGER fail BEFORE INSERT ON keys BEGIN SELECT raise(ABORT, 'The machine is gone'); END");
  expectError(await adopt(copy), 1, "The machine is gone");
  expect(state()).toEqual(before);
  change("DROP TRIGGER fail");
  expect((await adopt(copy)).stdout).toMatch(ADOPTED);
  expect(state()[3]).toBe(0);
});

test("a service without keys still needs none after its file is adopted", async () => {
  const path = file("open.db");
  const first = await startRoster(path);
  await create(first, "ada");
  await stop(first);
  expect((await adopt(path)).stdout).toContain("next key           1\n");
  const roster = await startRoster(path);
  expect(await create(roster, "bob")).toBe(1_000_002);
});

test("a file that was restored from a backup can be adopted", async () => {
  const { copy } = await loseWrites();
  const [backup, target] = [file("backup.db"), file("target.db")];
  expect(await runRoster(["backup", backup, `--database=${copy}`])).toMatchObject({ code: 0 });
  expect(await runRoster(["restore", backup, `--database=${target}`])).toMatchObject({ code: 0 });
  expect((await adopt(target)).stdout).toMatch(ADOPTED);
});

describe("adopt refuses, with one line, and changes nothing,", () => {
  async function expectRefused(path: string, ...texts: string[]): Promise<void> {
    const bytes = readFileSync(path);
    expectError(await adopt(path, "--database-wait=300"), 1, ...texts);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  }

  async function createFile(): Promise<string> {
    const path = file("roster.db");
    expect(await runRoster(["migrate", `--database=${path}`])).toMatchObject({ code: 0 });
    return path;
  }

  test("a file in use", async () => {
    const path = file("served.db");
    const roster: Roster = await startRoster(path);
    await expectRefused(path, "is locked by another program: stop that program");
    await create(roster, "ada");
  });

  test("a file that is not a Roster database", async () => {
    const [text, foreign, empty] = [file("text.db"), file("foreign.db"), file("empty.db")];
    writeFileSync(text, "Not a database, but a text that is long enough to be looked at.\n".repeat(20));
    writeFileSync(empty, "");
    const db = new Database(foreign);
    db.run("CREATE TABLE theirs (a)");
    db.close();
    await expectRefused(text, "is not an SQLite database: choose another file.\n");
    await expectRefused(foreign, "is the SQLite database of another program. Choose another file.\n");
    await expectRefused(empty, "it has no Roster tables.");
    expectError(await adopt(file("missing.db")), 1, "There is no file at");
    expectError(await adopt(temporaryFolder()), 1, "There is no file at");
  });

  test("a file of a newer Roster", async () => {
    const path = await createFile();
    using db = new Database(path);
    db.run("PRAGMA user_version = 999");
    db.close();
    await expectRefused(path, "was written by a newer Roster");
  });

  test("a file of a move that has not finished", async () => {
    const path = await createFile();
    const db = new Database(path);
    db.run(`INSERT INTO moving VALUES (1, '{"doing":"move","shown":"there.db"}', '[]')`);
    db.close();
    await expectRefused(path, "`roster move` from there.db has not finished");
  });

  test("a file of an early version, which roster migrate has to copy first", async () => {
    const path = await copyEarly("2b3f424");
    await expectRefused(path, "run `roster migrate` first");
    expect(await runRoster(["migrate", `--database=${path}`])).toMatchObject({ code: 0 });
    expect((await adopt(path)).code).toBe(0);
  });
});

test("a damaged file is not adopted", async () => {
  const { copy } = await loseWrites();
  const bytes = readFileSync(copy);
  bytes.write("adx", bytes.lastIndexOf("ada"));
  writeFileSync(copy, bytes);
  const lastId = () => valueIn(copy, "SELECT last_id FROM directory");
  const before = lastId();
  expectError(await adopt(copy), 1, "is damaged");
  expect(lastId()).toBe(before);
});

test("the schema of an older version is migrated", async () => {
  const path = await copyEarly("944d220");
  expect((await adopt(path)).stdout).toMatch(ADOPTED);
  expect(await runRoster(["migrate", `--database=${path}`])).toMatchObject({
    stdout: expect.stringContaining("is up to date"),
  });
});

/** A copy in a file of its own: the test's process may keep the original open. */
async function copyEarly(state: EarlyState): Promise<string> {
  const early = await openEarlyDatabase(state, "sqlite");
  const path = copyOf(early.url);
  await early.drop();
  return path;
}
