import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  type Mock,
  setDefaultTimeout,
  spyOn,
  test,
} from "bun:test";
import { type LoopShare, loopShare } from "../../src/domain/scheduling/loop-share.ts";
import { heavySchemas } from "../domain/schema/support/heavy-schemas.ts";
import { bearer, createFirstKey } from "../support/credentials.ts";
import { onAnyEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(60_000);

onAnyEngine((engine) => {
  let service: TestService;
  let key: string;
  let nextTurn: Mock<LoopShare["nextTurn"]>;
  beforeAll(async () => {
    service = await startService({}, engine);
    key = await createFirstKey(service);
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    nextTurn = spyOn(loopShare, "nextTurn");
  });
  afterEach(() => nextTurn.mockRestore());

  /** Whose turns were waited for. Other work of the service has no owner. */
  const owners = () => [...new Set(nextTurn.mock.calls.flatMap(([options]) => options?.owner ?? []))];
  const send = (method: string, path: string, body: unknown) =>
    service.call(path, { method, json: body, headers: bearer(key) });

  test("an ordinary request waits for no turn", async () => {
    const created = await send("POST", "/api/users", { name: "Ada", text: "x".repeat(6000) });
    expect(created.status).toBe(201);
    for (const path of ["/api/users/1", "/api/users?limit=20", "/api/users?q=ada", "/api/stats"]) {
      expect((await service.call(path, { headers: bearer(key) })).status).toBe(200);
    }
    // On PostgreSQL, a list may go on in a later turn together with others.
    expect(nextTurn.mock.calls.filter(([options]) => options?.alone)).toEqual([]);
  });

  test("a long URL waits for a turn of its key", async () => {
    const path = `/api/users?filter=${"a".repeat(1000)}`;
    expect((await service.call(path, { headers: bearer(key) })).status).toBe(400);
    expect(owners()).toEqual(["key 1"]);
  });

  test("a large body waits for a turn of its key", async () => {
    expect((await send("POST", "/api/users", { name: "Ada", text: "x".repeat(10_000) })).status).toBe(201);
    expect(owners()).toEqual(["key 1"]);
  });

  test("a large page waits for a turn of its key", async () => {
    for (let i = 0; i < 8; i++) await send("POST", "/api/users", { name: "Big", text: "x".repeat(10_000) });
    nextTurn.mockClear();
    expect((await service.call("/api/users?name=Big", { headers: bearer(key) })).status).toBe(200);
    expect(owners()).toEqual(["key 1"]);
  });

  test.each(Object.entries(heavySchemas))(
    "a heavy schema is parsed in turns of its key: %s",
    async (_, schema) => {
      expect((await send("PUT", "/api/schema", schema)).status).toBe(422);
      expect(owners()).toEqual(["key 1"]);
    },
  );
});
