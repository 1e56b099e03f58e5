import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ApiError, type Client, createClient } from "../../src/client/index.ts";
import { readConfig } from "../../src/config/config.ts";
import { startService as start } from "../../src/serve.ts";
import { databaseOn } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import { restoreClock, skipDelays } from "./support/clock.ts";
import { failure, failureOf, quietClient } from "./support/servers.ts";

type CustomFields = { department?: string; count?: number };

let service: TestService;
let users: Client<CustomFields>["users"];

beforeAll(async () => {
  service = await startService();
  users = createClient<CustomFields>({ baseUrl: service.url }).users;
});

afterAll(() => service.stop());
afterEach(restoreClock);

/** A new email for each test. */
let email: string;
beforeEach(() => {
  email = `${crypto.randomUUID()}@example.com`;
});

describe("users", () => {
  test("can be created, read, replaced, updated and deleted", async () => {
    const created = await users.create({ name: "Ada", email, department: "engines" });
    expect(created).toEqual({
      id: expect.any(Number),
      name: "Ada",
      email,
      department: "engines",
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await users.get(created.id)).toEqual(created);
    expect(await users.get(String(created.id))).toEqual(created);

    const updated = await users.update(created.id, { department: null, count: 1 });
    expect(updated).toMatchObject({ name: "Ada", email, count: 1, version: 2 });
    expect(updated).not.toHaveProperty("department");

    const replaced = await users.replace(created.id, { name: "Ada King" });
    expect(replaced).toMatchObject({ id: created.id, name: "Ada King", version: 3 });
    expect(replaced).not.toHaveProperty("email");
    expect(replaced).not.toHaveProperty("count");

    expect(await users.delete(created.id)).toBeUndefined();
    const error = await failureOf(ApiError, users.get(created.id));
    expect(error).toMatchObject({ status: 404, type: "user-not-found" });
    expect(error.requestId).toBe(error.headers.get("x-request-id") ?? "none");
  });

  test("can be sent back with the fields that the service adds", async () => {
    const created = await users.create({ name: "Ada", email });
    const replaced = await users.replace(created.id, { ...created, name: "Ada King" });
    expect(replaced).toMatchObject({ id: created.id, name: "Ada King", email, version: 2 });
  });

  test("are found by email, in upper or lower case", async () => {
    const created = await users.create({ name: "Ada", email });
    expect(await users.find({ email })).toEqual(created);
    expect(await users.find({ email: email.toUpperCase() })).toEqual(created);
    expect(await users.find({ email: "nobody@example.com" })).toBeUndefined();
  });

  test("are created once per Idempotency-Key", async () => {
    const idempotencyKey = crypto.randomUUID();
    const created = await users.create({ name: "Ada", email }, { idempotencyKey });
    expect(await users.create({ name: "Ada", email }, { idempotencyKey })).toEqual(created);
    const other = users.create({ name: "Grace" }, { idempotencyKey });
    expect((await failureOf(ApiError, other)).type).toBe("idempotency-mismatch");
  });

  test("that are invalid throw all field errors", async () => {
    const error = await failureOf(ApiError, users.create({ name: " ", email: "none" }));
    expect(error).toMatchObject({ status: 422, type: "invalid-user" });
    expect(error.problem?.errors?.map(({ pointer }) => pointer)).toEqual(["/name", "/email"]);
    expect(error.message).toBe(
      "POST /api/users: 422 invalid-user: name: A name is required. email: Enter a valid email address, like ada@example.com.",
    );
  });

  test("with an email in use throw", async () => {
    await users.create({ name: "Ada", email });
    expect((await failureOf(ApiError, users.create({ name: "Eve", email }))).type).toBe("email-taken");
  });
});

describe("a conditional change", () => {
  test("applies to this version only, with ifMatch and with ifUnchanged", async () => {
    const first = await users.create({ name: "Ada" });
    const second = await users.update(first.id, { count: 1 }, { ifUnchanged: first });
    if (second?.version !== 2) throw new Error(`Expected version 2, got ${second?.version}.`);
    for (const state of [{ ifUnchanged: first }, { ifMatch: 1 }, { ifMatch: 99 }] as const) {
      for (const late of [
        users.update(first.id, { count: 2 }, state),
        users.replace(first.id, { name: "Eve" }, state),
        users.delete(first.id, state),
      ]) {
        expect((await failureOf(ApiError, late)).type).toBe("version-mismatch");
      }
    }
    expect(await users.get(first.id)).toEqual(second);
    await users.delete(first.id, { ifMatch: second.version });
  });

  test('applies to any version with "*" if the user exists', async () => {
    const created = await users.create({ name: "Ada" });
    expect(await users.update(created.id, { count: 1 }, { ifMatch: "*" })).toMatchObject({ count: 1 });
    await users.delete(created.id, { ifMatch: "*" });
    const gone = users.replace(created.id, { name: "Ada" }, { ifMatch: "*" });
    expect((await failureOf(ApiError, gone)).type).toBe("user-not-found");
  });
});

describe("modify", () => {
  const addOne = (user: { name: string; count?: number }) => ({ ...user, count: (user.count ?? 0) + 1 });

  test("twenty times at once, each adding one, adds exactly twenty", async () => {
    const { id } = await users.create({ name: "Counter" });
    // Each conflict is caused by one of the 19 other calls, and each of them succeeds once.
    await Promise.all(Array.from({ length: 20 }, () => users.modify(id, addOne, { attempts: 20 })));
    expect(await users.get(id)).toMatchObject({ count: 20, version: 21 });
  });

  test("starts over with the new version if another caller was faster", async () => {
    const { id } = await users.create({ name: "Ada", count: 1 });
    const counts: (number | undefined)[] = [];
    const changed = await users.modify(id, async (user) => {
      counts.push(user.count);
      if (counts.length === 1) await users.update(id, { count: 10 });
      return addOne(user);
    });
    expect(counts).toEqual([1, 10]);
    expect(changed).toMatchObject({ count: 11, version: 3 });
  });

  test("does not change the user if the callback returns undefined", async () => {
    const created = await users.create({ name: "Ada" });
    expect(await users.modify(created.id, () => undefined)).toEqual(created);
    expect(await users.modify(created.id, async () => undefined)).toEqual(created);
    expect(await users.get(created.id)).toEqual(created);
  });

  test("gives up after the maximum of attempts", async () => {
    const { id } = await users.create({ name: "Ada" });
    let attempts = 0;
    const hopeless = users.modify(
      id,
      async (user) => {
        await users.update(id, { count: ++attempts });
        return addOne(user);
      },
      { attempts: 3 },
    );
    expect((await failureOf(ApiError, hopeless)).type).toBe("version-mismatch");
    expect(attempts).toBe(3);
    expect(await users.get(id)).toMatchObject({ count: 3 });
  });

  test("throws the errors of the callback, and every other problem", async () => {
    const { id } = await users.create({ name: "Ada" });
    const mistake = new Error("a mistake");
    const failing = users.modify(id, () => {
      throw mistake;
    });
    expect(await failure(failing)).toBe(mistake);
    const invalid = users.modify(id, () => ({ name: "" }));
    expect((await failureOf(ApiError, invalid)).type).toBe("invalid-user");
    const missing = users.modify(999_999, addOne);
    expect((await failureOf(ApiError, missing)).type).toBe("user-not-found");
  });
});

describe("in process", () => {
  test("a client calls the service without a socket", async () => {
    const database = await databaseOn("sqlite");
    const config = readConfig(["--port=0", `--database=${database.url}`, "--log-format=json"], {});
    const app = await start(config, { write: () => undefined, terminal: false });
    try {
      const { users } = createClient({ fetch: app.fetch });
      const created = await users.create({ name: "Ada", email });
      expect(await users.update(created.id, { tags: ["x"] })).toMatchObject({ version: 2, tags: ["x"] });
      expect(await users.list().all()).toHaveLength(1);
      expect(await users.find({ email })).toMatchObject({ id: created.id });
      await users.delete(created.id);
      expect((await failureOf(ApiError, users.get(created.id))).type).toBe("user-not-found");
    } finally {
      await app.stop();
      await database.drop();
    }
  });
});

test("calls to a stopped service are retried, then throw a NetworkError", async () => {
  const stopped = await startService();
  const { users } = quietClient(stopped.url, { retries: 1 });
  await users.create({ name: "Ada" });
  await stopped.stop();
  skipDelays();
  expect(await failure(users.get(1))).toMatchObject({ name: "NetworkError", tries: 2 });
});
