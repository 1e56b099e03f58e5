import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ApiError, type Client, createClient } from "../../src/client/index.ts";
import { readConfig } from "../../src/config/config.ts";
import { startService as start } from "../../src/serve.ts";
import { databaseOn } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import { failure, failureOf, quietClient } from "./servers.ts";

type Own = { department?: string; count?: number };

let service: TestService;
let users: Client<Own>["users"];

beforeAll(async () => {
  service = await startService();
  users = createClient<Own>({ baseUrl: service.url }).users;
});

afterAll(() => service.stop());

/** A user of the test's own, with an email that nobody else has. */
let email: string;
beforeEach(() => {
  email = `${crypto.randomUUID()}@example.com`;
});

describe("users", () => {
  test("are created, read, replaced, updated and deleted", async () => {
    const made = await users.create({ name: "Ada", email, department: "engines" });
    expect(made).toEqual({
      id: expect.any(Number),
      name: "Ada",
      email,
      department: "engines",
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await users.get(made.id)).toEqual(made);
    expect(await users.get(String(made.id))).toEqual(made);

    const updated = await users.update(made.id, { department: null, count: 1 });
    expect(updated).toMatchObject({ name: "Ada", email, count: 1, version: 2 });
    expect(updated.department).toBeUndefined();

    const replaced = await users.replace(made.id, { name: "Ada King" });
    expect(replaced).toMatchObject({ id: made.id, name: "Ada King", version: 3 });
    expect(replaced.email).toBeUndefined();
    expect(replaced.count).toBeUndefined();

    expect(await users.delete(made.id)).toBeUndefined();
    const error = await failureOf(ApiError, users.get(made.id));
    expect(error).toMatchObject({ status: 404, type: "user-not-found" });
    expect(error.requestId).toBe(error.headers.get("x-request-id") ?? "none");
  });

  test("can be sent back whole, with what the service added", async () => {
    const made = await users.create({ name: "Ada", email });
    const replaced = await users.replace(made.id, { ...made, name: "Ada King" });
    expect(replaced).toMatchObject({ id: made.id, name: "Ada King", email, version: 2 });
  });

  test("are found by their email, however it is written", async () => {
    const made = await users.create({ name: "Ada", email });
    expect(await users.find({ email })).toEqual(made);
    expect(await users.find({ email: email.toUpperCase() })).toEqual(made);
    expect(await users.find({ email: "nobody@example.com" })).toBeUndefined();
  });

  test("are made once for one Idempotency-Key", async () => {
    const idempotencyKey = crypto.randomUUID();
    const made = await users.create({ name: "Ada", email }, { idempotencyKey });
    expect(await users.create({ name: "Ada", email }, { idempotencyKey })).toEqual(made);
    const other = users.create({ name: "Grace" }, { idempotencyKey });
    expect((await failureOf(ApiError, other)).type).toBe("idempotency-mismatch");
  });

  test("that break a rule are refused with every fault", async () => {
    const error = await failureOf(ApiError, users.create({ name: " ", email: "none" }));
    expect(error).toMatchObject({ status: 422, type: "invalid-user" });
    expect(error.problem?.errors?.map(({ pointer }) => pointer)).toEqual(["/name", "/email"]);
    expect(error.message).toStartWith("POST /api/users: 422 invalid-user: ");
  });

  test("with an email that another has are refused", async () => {
    await users.create({ name: "Ada", email });
    expect((await failureOf(ApiError, users.create({ name: "Eve", email }))).type).toBe("email-taken");
  });
});

describe("a change that is meant for one state", () => {
  test("is made to that version only, with ifMatch and with ifUnchanged", async () => {
    const first = await users.create({ name: "Ada" });
    const second = await users.update(first.id, { count: 1 }, { ifUnchanged: first });
    expect(second.version).toBe(2);
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

  test('is made to any version with "*", as long as the user exists', async () => {
    const made = await users.create({ name: "Ada" });
    expect((await users.update(made.id, { count: 1 }, { ifMatch: "*" })).count).toBe(1);
    await users.delete(made.id, { ifMatch: "*" });
    const gone = users.replace(made.id, { name: "Ada" }, { ifMatch: "*" });
    expect((await failureOf(ApiError, gone)).type).toBe("user-not-found");
  });
});

describe("modify", () => {
  const addOne = (user: { name: string; count?: number }) => ({ ...user, count: (user.count ?? 0) + 1 });

  test("twenty times at once, each adding one, adds exactly twenty", async () => {
    const { id } = await users.create({ name: "Counter" });
    // Whoever is overtaken is so by one of the nineteen others, each of which gets through once.
    await Promise.all(Array.from({ length: 20 }, () => users.modify(id, addOne, { attempts: 20 })));
    expect(await users.get(id)).toMatchObject({ count: 20, version: 21 });
  });

  test("begins anew with what the user has become when somebody else was faster", async () => {
    const { id } = await users.create({ name: "Ada", count: 1 });
    const met: (number | undefined)[] = [];
    const changed = await users.modify(id, async (user) => {
      met.push(user.count);
      if (met.length === 1) await users.update(id, { count: 10 });
      return addOne(user);
    });
    expect(met).toEqual([1, 10]);
    expect(changed).toMatchObject({ count: 11, version: 3 });
  });

  test("leaves the user alone when there is nothing to change", async () => {
    const made = await users.create({ name: "Ada" });
    expect(await users.modify(made.id, () => undefined)).toEqual(made);
    expect(await users.modify(made.id, async () => undefined)).toEqual(made);
    expect(await users.get(made.id)).toEqual(made);
  });

  test("gives up after so many attempts", async () => {
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

  test("throws what the change throws, and every problem but that one", async () => {
    const { id } = await users.create({ name: "Ada" });
    const mistake = new Error("a mistake");
    const failing = users.modify(id, () => {
      throw mistake;
    });
    expect(await failure(failing)).toBe(mistake);
    const invalid = users.modify(id, () => ({ name: "" }));
    expect((await failureOf(ApiError, invalid)).type).toBe("invalid-user");
    const nobody = users.modify(999_999, addOne);
    expect((await failureOf(ApiError, nobody)).type).toBe("user-not-found");
  });
});

describe("in process", () => {
  test("a client drives the service without a socket", async () => {
    const database = await databaseOn("sqlite");
    const config = readConfig(["--port=0", `--database=${database.url}`, "--log-format=json"], {});
    const app = await start(config, { write: () => undefined, terminal: false, colour: false });
    try {
      const { users } = createClient({ fetch: app.fetch });
      const made = await users.create({ name: "Ada", email });
      expect(await users.update(made.id, { tags: ["x"] })).toMatchObject({ version: 2, tags: ["x"] });
      expect(await users.list().all()).toHaveLength(1);
      expect(await users.find({ email })).toMatchObject({ id: made.id });
      await users.delete(made.id);
      expect((await failureOf(ApiError, users.get(made.id))).type).toBe("user-not-found");
    } finally {
      await app.stop();
      await database.drop();
    }
  });
});

test("a service that has stopped is asked again, and then is a NetworkError", async () => {
  const stopped = await startService();
  const { users } = quietClient(stopped.url, { retries: 1 });
  await users.create({ name: "Ada" });
  await stopped.stop();
  expect(await failure(users.get(1))).toMatchObject({ name: "NetworkError", tries: 2 });
});
