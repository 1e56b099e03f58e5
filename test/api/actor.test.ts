import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { scopes } from "../../src/contract/keys/key.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { PUBLISH_ALL } from "../../src/store/events/postgres-events.ts";
import { bearer, startSession } from "../support/credentials.ts";
import { databaseOn, type Engine, onEachEngine } from "../support/engines.ts";
import { type FreshDatabase, pooler } from "../support/postgres/fresh-database.ts";
import { readResponse } from "../support/responses.ts";
import type { TestService } from "../support/service.ts";
import { startNode } from "./access/support/test-node.ts";

setDefaultTimeout(120_000);

/** The headers that identify the caller. */
type Credentials = Record<string, string>;
interface Created {
  readonly id: number;
  readonly key: string;
}

onEachEngine((engine) => {
  describe("the stored actor of a change", () => {
    const environmentKey = createSecret();
    let database: FreshDatabase;
    let node: TestService;
    let first: Created;

    beforeAll(async () => {
      database = await databaseOn(engine);
    });
    afterAll(async () => {
      await node.stop();
      await database.drop();
    });

    async function send(
      credentials: Credentials,
      method: string,
      path: string,
      body?: unknown,
      status = 200,
    ) {
      const response = await readResponse(node.call(path, { method, headers: credentials, json: body }));
      expect({ method, path, status: response.status }).toEqual({ method, path, status });
      return response.text;
    }
    async function create(credentials: Credentials): Promise<number> {
      const created: Created = JSON.parse(
        await send(credentials, "POST", "/api/users", { name: "Ada" }, 201),
      );
      return created.id;
    }
    async function createKey(credentials: Credentials, more: object = {}): Promise<Created> {
      const body = { name: "created", scopes, ...more };
      return JSON.parse(await send(credentials, "POST", "/api/keys", body, 201));
    }

    const changedBy = (id: number) => readActor(engine, database.url, "users", "changed_by", "id", id);
    const removedBy = async (id: number) => {
      if (engine === "postgres") await readPostgres(database.url, () => PUBLISH_ALL);
      return readActor(engine, database.url, "events", "actor", "action = 'deleted' AND subject_id", id);
    };
    const createdBy = (id: number) => readActor(engine, database.url, "keys", "created_by", "id", id);
    const revokedBy = (id: number) => readActor(engine, database.url, "keys", "revoked_by", "id", id);

    /** Makes every kind of change to users as one caller, and expects the actor of each. */
    async function expectUserActor(credentials: Credentials, by: number | null): Promise<void> {
      const other = by === null ? {} : bearer(environmentKey);
      const created = await create(credentials);
      expect(await changedBy(created)).toBe(by);
      const edited = [await create(other), await create(other)];
      await send(credentials, "PATCH", `/api/users/${edited[0]}`, { team: "red" });
      await send(credentials, "PUT", `/api/users/${edited[1]}`, { name: "Grace" });
      for (const id of edited) expect(await changedBy(id)).toBe(by);
      const deleted = await create(other);
      await send(credentials, "DELETE", `/api/users/${deleted}`, undefined, 204);
      expect([await changedBy(deleted), await removedBy(deleted)]).toEqual([undefined, by]);
      const idempotent = { ...credentials, "idempotency-key": `created by ${by}` };
      const [first, replayed] = [await create(idempotent), await create(idempotent)];
      expect([replayed, await changedBy(first)]).toEqual([first, by]);
    }

    async function expectKeyActor(credentials: Credentials, by: number): Promise<void> {
      const created = await createKey(credentials);
      expect([await createdBy(created.id), await revokedBy(created.id)]).toEqual([by, null]);
      const successor = await createKey(credentials, { replaces: created.id, graceSeconds: 60 });
      expect([await createdBy(successor.id), await revokedBy(created.id)]).toEqual([by, null]);
      await send(credentials, "DELETE", `/api/keys/${created.id}`, undefined, 204);
      expect([await createdBy(created.id), await revokedBy(created.id)]).toEqual([by, by]);
      // Revoking a revoked key again does not change the actor.
      await send(bearer(first.key), "DELETE", `/api/keys/${created.id}`, undefined, 204);
      expect(await revokedBy(created.id)).toBe(by);
    }

    test("is null while the service is open, and for the first key", async () => {
      node = await startNode(database.url);
      await expectUserActor({}, null);
      first = await createKey({});
      expect([first.id, await createdBy(1), await revokedBy(1)]).toEqual([1, null, null]);
      await node.stop();
    });

    test("is null with ROSTER_AUTH=off, even if the request has a key", async () => {
      node = await startNode(database.url, { auth: "off" });
      await expectUserActor({}, null);
      expect(await changedBy(await create(bearer(first.key)))).toBeNull();
      await node.stop();
    });

    test("is 0 for ROSTER_API_KEY and for its sessions", async () => {
      node = await startNode(database.url, { apiKey: environmentKey });
      await expectUserActor(bearer(environmentKey), 0);
      await expectKeyActor(bearer(environmentKey), 0);
      expect(await changedBy(await create(await startSession(node, environmentKey)))).toBe(0);
    });

    test("is the key's id, for either header", async () => {
      const { id, key } = await createKey(bearer(first.key));
      expect(await createdBy(id)).toBe(first.id);
      await expectUserActor(bearer(key), id);
      await expectKeyActor(bearer(key), id);
      expect(await changedBy(await create({ "x-api-key": key }))).toBe(id);
    });

    test("is the key's id for a session", async () => {
      const { id, key } = await createKey(bearer(first.key));
      const session = await startSession(node, key);
      await expectUserActor(session, id);
      await expectKeyActor({ ...session, ...bearer(key) }, id);
      const revoked = await createKey(bearer(first.key));
      await send(session, "DELETE", `/api/keys/${revoked.id}`, undefined, 204);
      expect(await revokedBy(revoked.id)).toBe(id);
    });

    test("is the key itself if the key revokes itself", async () => {
      const { id, key } = await createKey(bearer(first.key));
      await send(bearer(key), "DELETE", `/api/keys/${id}`, undefined, 204);
      expect(await revokedBy(id)).toBe(id);
    });

    test("stays the same if an edit changes nothing or is rejected", async () => {
      const id = await create(bearer(first.key));
      const path = `/api/users/${id}`;
      const credentials = bearer(environmentKey);
      await send(credentials, "PATCH", path, {});
      await send(credentials, "PUT", path, { name: "Ada" });
      await send(credentials, "PATCH", path, { name: "" }, 422);
      await send({ ...credentials, "if-match": '"9"' }, "PATCH", path, { team: "red" }, 412);
      expect(await changedBy(id)).toBe(first.id);
      const removed = await create(bearer(first.key));
      await send({ ...credentials, "if-match": '"9"' }, "DELETE", `/api/users/${removed}`, undefined, 412);
      expect([await changedBy(removed), await removedBy(removed)]).toEqual([first.id, undefined]);
    });

    test("is correct for each of many concurrent writes in one commit", async () => {
      const keys = [first, await createKey(bearer(first.key)), await createKey(bearer(first.key))];
      const credentials = [bearer(environmentKey), ...keys.map(({ key }) => bearer(key))];
      const actors = [0, ...keys.map(({ id }) => id)];
      const ids = await Promise.all(Array.from({ length: 80 }, (_, i) => create(credentials[i % 4] ?? {})));
      const stored = await Promise.all(ids.map(changedBy));
      expect(stored).toEqual(ids.map((_, i) => actors[i % 4]));
    });
  });
});

/** Reads one column of one row; undefined if there is no row. */
async function readActor(
  engine: Engine,
  url: string,
  table: string,
  column: string,
  key: string,
  id: number,
): Promise<number | null | undefined> {
  const readValue = engine === "sqlite" ? readSqlite : readPostgres;
  const found = await readValue(
    url,
    (schema) => `SELECT ${column} FROM ${schema}${table} WHERE ${key} = ${id}`,
  );
  return found === undefined || found === null ? found : Number(found);
}

async function readSqlite(path: string, select: (schema: string) => string): Promise<unknown> {
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

async function readPostgres(url: string, select: (schema: string) => string): Promise<unknown> {
  const sql = servers.get(url) ?? new SQL(url, { max: 1, prepare: pooler === "none" });
  servers.set(url, sql);
  const [row] = await sql.unsafe(select("roster.")).values();
  return row?.[0];
}
