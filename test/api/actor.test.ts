import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { scopes } from "../../src/contract/key.ts";
import { createSecret } from "../../src/contract/key-secret.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import { type FreshDatabase, pooler } from "../support/postgres/fresh-database.ts";
import { startNode, type TestNode } from "./access/test-node.ts";
import { sameOrigin } from "./sign-in.ts";

setDefaultTimeout(120_000);

/** What a request shows of who sends it. */
type Shown = Record<string, string>;
interface Made {
  readonly id: number;
  readonly key: string;
}

const bearer = (key: string): Shown => ({ authorization: `Bearer ${key}` });

onEachEngine((engine) => {
  describe("who did it", () => {
    const environmentKey = createSecret();
    let database: FreshDatabase;
    let node: TestNode;
    let first: Made;

    beforeAll(async () => {
      database = await databaseOn(engine);
    });
    afterAll(async () => {
      await node.stop();
      await database.drop();
    });

    async function send(shown: Shown, method: string, path: string, body?: unknown, status = 200) {
      const answer = await node.request({ method, path, headers: shown, body });
      expect({ method, path, status: answer.status }).toEqual({ method, path, status });
      return answer.text;
    }
    async function create(shown: Shown): Promise<number> {
      const made: Made = JSON.parse(await send(shown, "POST", "/api/users", { name: "Ada" }, 201));
      return made.id;
    }
    async function makeKey(shown: Shown, more: object = {}): Promise<Made> {
      const body = { name: "made", scopes, ...more };
      return JSON.parse(await send(shown, "POST", "/api/keys", body, 201));
    }
    async function signIn(key: string): Promise<Shown> {
      const body = { key };
      const answer = await node.request({ method: "POST", path: "/api/session", headers: sameOrigin, body });
      expect(answer.status).toBe(200);
      return { ...sameOrigin, cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
    }

    const changedBy = (id: number) => actor(engine, database.url, "users", "changed_by", "id", id);
    const removedBy = (id: number) => actor(engine, database.url, "removals", "removed_by", "user_id", id);
    const createdBy = (id: number) => actor(engine, database.url, "keys", "created_by", "id", id);
    const revokedBy = (id: number) => actor(engine, database.url, "keys", "revoked_by", "id", id);

    /** Everything that changes something, done by one caller; each is stored with whom it was done by. */
    async function expectStored(shown: Shown, by: number | null): Promise<void> {
      const other = by === null ? {} : bearer(environmentKey);
      const kept = await create(shown);
      expect(await changedBy(kept)).toBe(by);
      const edited = [await create(other), await create(other)];
      await send(shown, "PATCH", `/api/users/${edited[0]}`, { team: "red" });
      await send(shown, "PUT", `/api/users/${edited[1]}`, { name: "Grace" });
      for (const id of edited) expect(await changedBy(id)).toBe(by);
      const gone = await create(other);
      await send(shown, "DELETE", `/api/users/${gone}`, undefined, 204);
      expect([await changedBy(gone), await removedBy(gone)]).toEqual([undefined, by]);
      const once = { ...shown, "idempotency-key": `once by ${by}` };
      const [twice, again] = [await create(once), await create(once)];
      expect([again, await changedBy(twice)]).toEqual([twice, by]);
    }

    async function expectStoredOfKeys(shown: Shown, by: number): Promise<void> {
      const made = await makeKey(shown);
      expect([await createdBy(made.id), await revokedBy(made.id)]).toEqual([by, null]);
      const successor = await makeKey(shown, { replaces: made.id, graceSeconds: 60 });
      expect([await createdBy(successor.id), await revokedBy(made.id)]).toEqual([by, null]);
      await send(shown, "DELETE", `/api/keys/${made.id}`, undefined, 204);
      expect([await createdBy(made.id), await revokedBy(made.id)]).toEqual([by, by]);
      // One that was revoked before stays as it was, whoever revokes it once more.
      await send(bearer(first.key), "DELETE", `/api/keys/${made.id}`, undefined, 204);
      expect(await revokedBy(made.id)).toBe(by);
    }

    test("is nobody while the service is open, down to the first key", async () => {
      node = await startNode(database.url);
      await expectStored({}, null);
      first = await makeKey({});
      expect([first.id, await createdBy(1), await revokedBy(1)]).toEqual([1, null, null]);
      await node.stop();
    });

    test("is nobody where no key is asked for, though one is shown", async () => {
      node = await startNode(database.url, { ROSTER_AUTH: "off" });
      await expectStored({}, null);
      expect(await changedBy(await create(bearer(first.key)))).toBeNull();
      await node.stop();
    });

    test("is 0 for the key of the environment, and for its session", async () => {
      node = await startNode(database.url, { ROSTER_API_KEY: environmentKey });
      await expectStored(bearer(environmentKey), 0);
      await expectStoredOfKeys(bearer(environmentKey), 0);
      expect(await changedBy(await create(await signIn(environmentKey)))).toBe(0);
    });

    test("is the key's id for a key, by whichever header", async () => {
      const { id, key } = await makeKey(bearer(first.key));
      expect(await createdBy(id)).toBe(first.id);
      await expectStored(bearer(key), id);
      await expectStoredOfKeys(bearer(key), id);
      expect(await changedBy(await create({ "x-api-key": key }))).toBe(id);
    });

    test("is the key's id for its session", async () => {
      const { id, key } = await makeKey(bearer(first.key));
      const session = await signIn(key);
      await expectStored(session, id);
      await expectStoredOfKeys(session, id);
    });

    test("is the key itself, where it revokes itself", async () => {
      const { id, key } = await makeKey(bearer(first.key));
      await send(bearer(key), "DELETE", `/api/keys/${id}`, undefined, 204);
      expect(await revokedBy(id)).toBe(id);
    });

    test("stays who it was where nothing was changed: by an edit to the same, and by one that is refused", async () => {
      const id = await create(bearer(first.key));
      const path = `/api/users/${id}`;
      const shown = bearer(environmentKey);
      await send(shown, "PATCH", path, {});
      await send(shown, "PUT", path, { name: "Ada" });
      await send(shown, "PATCH", path, { name: "" }, 422);
      await send({ ...shown, "if-match": '"9"' }, "PATCH", path, { team: "red" }, 412);
      expect(await changedBy(id)).toBe(first.id);
      const removed = await create(bearer(first.key));
      await send({ ...shown, "if-match": '"9"' }, "DELETE", `/api/users/${removed}`, undefined, 412);
      expect([await changedBy(removed), await removedBy(removed)]).toEqual([first.id, undefined]);
    });

    test("is told apart within one commit: each of many writes at once is its caller's", async () => {
      const makers = [first, await makeKey(bearer(first.key)), await makeKey(bearer(first.key))];
      const shown = [bearer(environmentKey), ...makers.map(({ key }) => bearer(key))];
      const actors = [0, ...makers.map(({ id }) => id)];
      const ids = await Promise.all(Array.from({ length: 80 }, (_, i) => create(shown[i % 4] ?? {})));
      const stored = await Promise.all(ids.map(changedBy));
      expect(stored).toEqual(ids.map((_, i) => actors[i % 4]));
    });
  });
});

/** What a column holds of one row; undefined where there is no row. */
async function actor(
  engine: Engine,
  url: string,
  table: string,
  column: string,
  key: string,
  id: number,
): Promise<number | null | undefined> {
  const value = engine === "sqlite" ? readFile : readServer;
  const found = await value(url, (schema) => `SELECT ${column} FROM ${schema}${table} WHERE ${key} = ${id}`);
  return found === undefined || found === null ? found : Number(found);
}

async function readFile(path: string, select: (schema: string) => string): Promise<unknown> {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(select("")).values()[0]?.[0];
  } finally {
    db.close();
  }
}

const servers = new Map<string, SQL>();
afterAll(async () => {
  for (const sql of servers.values()) await sql.close();
});

async function readServer(url: string, select: (schema: string) => string): Promise<unknown> {
  const sql = servers.get(url) ?? new SQL(url, { max: 1, prepare: pooler === "none" });
  servers.set(url, sql);
  const [row] = await sql.unsafe(select("roster.")).values();
  return row?.[0];
}
