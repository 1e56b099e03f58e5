import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { parseDatabase } from "../../src/config/database-url.ts";
import type { Store } from "../../src/domain/store.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { BreakableProxy, fatalError, protocolMessage } from "../support/postgres/breakable-proxy.ts";
import {
  type FreshDatabase,
  freshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";
import { allUsers } from "./support/store-under-test.ts";

startPostgresBeforeTests();

let database: FreshDatabase;
let proxy: BreakableProxy;
let store: Store;

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await BreakableProxy.start(database.url);
  const options = {
    batch: 512,
    queue: 10_000,
    waitMs: 1000,
    recordRules: defaultRecordRules,
    pool: 3,
    dedicatedSessions: pooler === "none",
    migrate: true,
  };
  // On a busy machine, the first connection may take longer than a second.
  store = await until(() =>
    openStore(parseDatabase(proxy.url), options, { committed() {} }).catch(() => undefined),
  );
});
afterAll(async () => {
  await store.close();
  proxy.stop();
  await database.drop();
});
afterEach(async () => {
  proxy.answer = undefined;
  proxy.nextBytes = undefined;
  await until(async () => !(await runAll()).has("unavailable"));
});

const operations = [
  async () => store.users.read(1),
  async () => store.users.list(allUsers),
  async () => store.users.list({ ...allUsers, search: ["ada"] }),
  () => store.users.create({ record: { name: "Ada" } }),
  () => store.stats(),
];

/** Returns how an operation ends: "done", the type of a problem, or an error. */
const run = (operation: () => Promise<unknown>): Promise<string> =>
  operation().then(
    () => "done",
    (error) => error.type ?? String(error),
  );
const runAll = async () => new Set(await Promise.all(operations.map(run)));

const afterStartup = (bytes: Uint8Array | string) => (client: Socket) =>
  client.once("data", () => client.end(bytes));

test.each<[string, (client: Socket) => void]>([
  ["closes connections", (client) => client.end()],
  ["closes connections after the startup message", afterStartup("")],
  ["speaks another protocol", afterStartup("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["sends half a message", afterStartup(fatalError("57P01").subarray(0, 20))],
  ["sends a message with an impossible length", afterStartup(Uint8Array.of(0x52, 0, 0, 0, 1))],
  ["sends an error without a code", afterStartup(protocolMessage("E", "\0"))],
  ["asks for unknown credentials", afterStartup(protocolMessage("R", Uint8Array.of(0, 0, 0, 99)))],
  ["rejects the password", afterStartup(fatalError("28P01"))],
  ["rejects the user", afterStartup(fatalError("28000"))],
  ["has lost the database", afterStartup(fatalError("3D000"))],
  ["is a pooler without a server", afterStartup(fatalError("08P01"))],
  [
    "is a Pgpool without a server",
    afterStartup(fatalError("XX000", "failed to create a backend connection")),
  ],
])("every operation is unavailable while the server %s", async (_, answer) => {
  proxy.answer = answer;
  proxy.cut();
  expect(await runAll()).toEqual(new Set(["unavailable"]));
});

test.each<[string, Uint8Array]>([
  ["an error of a pooler", fatalError("08P01")],
  ["an error of Pgpool", fatalError("XX000", "unable to read data from DB node 0")],
  ["the end of a session", fatalError("57P01")],
  ["a message with an impossible length", Uint8Array.of(0x5a, 0, 0, 0, 1)],
  ["a row that belongs to no statement", protocolMessage("D", Uint8Array.of(0, 0))],
  ["a response to another statement", protocolMessage("C", "SELECT 1\0")],
])("%s instead of a response makes no operation fail, or one unavailable", async (_, bytes) => {
  for (const operation of operations) {
    proxy.nextBytes = bytes;
    expect(["done", "unavailable"]).toContain(await run(operation));
  }
});
