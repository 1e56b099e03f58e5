/**
 * What SCIM costs: CPU time per request of the service and the database server, each kind of request compared with that of the API in
 * the same interleaved run. Also the memory that a group with many members takes while it is read.
 */
import { createSecret } from "../src/contract/keys/key-secret.ts";
import { urns } from "../src/scim/attributes.ts";
import { engines } from "./compare/engines.ts";
import {
  type Comparison,
  comparisonHeading,
  comparisonRows,
  measureComparisons,
  type Subject,
} from "./request-costs/comparisons.ts";
import { JsonCaller, PATCH_IDS } from "./request-costs/json-caller.ts";
import { runSeed, startService } from "./support/child-server.ts";
import { startCpuMeter } from "./support/cpu-meter.ts";
import { readOptionsWithTexts } from "./support/options.ts";
import { readMemory } from "./support/process-usage.ts";
import { print, verdict } from "./support/table.ts";

const { numbers, texts, json } = readOptionsWithTexts(
  { users: 100_000, members: 1_000_000, rounds: 7, requests: 500 },
  { engine: "sqlite" },
);
const { users, members, rounds, requests } = numbers;
const PAGE = 100;
/** Pages of a round that reads all users. */
const PAGES = Math.ceil(users / PAGE);
/** Users of this range are changed. */
const CHANGED = 1000;

const key = createSecret();

function openComparisons(caller: JsonCaller): Comparison[] {
  let number = 0;
  const next = () => 1 + ((number++ * 7919) % users);
  const each = (name: string, send: (number: number) => Promise<unknown>): Subject => ({
    name,
    count: requests,
    async run() {
      for (let i = 0; i < requests; i++) await send(next());
      return undefined;
    },
  });
  const get = (name: string, path: (id: number) => string) => each(name, (id) => caller.send(path(id)));
  let created = 0;
  const newUser = () => {
    const local = `created${++created}`;
    return { name: `Created ${created}`, email: `${local}@example.com`, userName: `${local}@corp.example` };
  };
  const emailOf = (id: number) => emails.get(id) ?? "";
  const changedId = (id: number) => 1 + (id % CHANGED);
  const patch = (id: number) => ({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "replace", path: "title", value: `Title ${id}` }],
  });
  return [
    {
      name: "read a user",
      subject: get("SCIM user", (id) => `/scim/v2/Users/${id}`),
      base: get("user", (id) => `/api/users/${id}`),
      target: 2.5,
    },
    {
      name: "userName eq, against ?email=",
      subject: get("userName eq", (id) => `/scim/v2/Users?filter=${filterOf("userName", emailOf(id))}`),
      base: get("?email=", (id) => `/api/users?email=${encodeURIComponent(emailOf(id))}`),
      target: 1.8,
    },
    {
      name: "create a user",
      subject: each("SCIM POST", () => {
        const { name, email, userName } = newUser();
        const emails = [{ value: email, type: "work", primary: true }];
        return caller.send("/scim/v2/Users", "POST", {
          schemas: [urns.user],
          userName,
          displayName: name,
          emails,
        });
      }),
      base: each("POST", () => caller.send("/api/users", "POST", newUser())),
      target: 1.5,
    },
    {
      name: "patch a user",
      subject: each("SCIM PATCH", (id) =>
        caller.send(`/scim/v2/Users/${changedId(id)}`, "PATCH", patch(number)),
      ),
      base: each("PATCH", (id) =>
        caller.send(`/api/users/${changedId(id)}`, "PATCH", { title: `Title ${number}` }),
      ),
      target: 1.5,
    },
    {
      name: `list of ${PAGE} users`,
      subject: get("SCIM list", (id) => `/scim/v2/Users?count=${PAGE}&cursor=${id}.0.id`),
      base: get("list", (id) => `/api/users?limit=${PAGE}&after=${id}.0.id`),
      target: 3,
    },
    {
      name: `all ${users} users by startIndex, against SCIM's cursor`,
      subject: readAll("by startIndex", (start) =>
        caller.send(`/scim/v2/Users?count=${PAGE}&startIndex=${start}`),
      ),
      base: readAll("by cursor", (_, cursor) => caller.send(`/scim/v2/Users?count=${PAGE}&cursor=${cursor}`)),
      target: 1.5,
    },
  ];
}

/** Reads pages with the first users. A page tells the cursor of the next one. */
function readAll(name: string, readPage: (start: number, cursor: string) => Promise<unknown>): Subject {
  return {
    name,
    count: PAGES,
    async run() {
      let cursor = "";
      for (let page = 0; page < PAGES; page++) {
        cursor = Object(await readPage(1 + page * PAGE, cursor)).nextCursor ?? "";
      }
      return undefined;
    },
  };
}

function filterOf(attribute: string, value: string): string {
  return encodeURIComponent(`${attribute} eq ${JSON.stringify(value)}`);
}

/** How much the memory of the service grows while it sends a group with all its members, in MB. */
async function measureMembers(url: string, pid: number, group: number) {
  const read = async () => {
    const response = await fetch(`${url}/scim/v2/Groups/g${group}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    let bytes = 0;
    let highest = 0;
    for await (const part of response.body ?? []) {
      bytes += part.length;
      highest = Math.max(highest, readMemory(pid).anonymous);
    }
    return { bytes, highest };
  };
  await read();
  const before = readMemory(pid).anonymous;
  const start = performance.now();
  const { bytes, highest } = await read();
  return { bytes, megabytes: highest - before, seconds: (performance.now() - start) / 1000 };
}

const startEngine = new Map(Object.entries(engines)).get(texts.engine);
if (!startEngine) throw new RangeError(`--engine must be one of ${Object.keys(engines).join(", ")}.`);
await using engine = await startEngine();
const database = await engine.create("scim");
await runSeed(Math.max(users, members), database);
const flags = ["--rate-limit=0", "--database-wait=60000"];
await using server = await startService(database, flags, { ROSTER_API_KEY: key });
const { url, pid } = server;
const caller = new JsonCaller(url, key);
/** The users of `roster seed` with an email, by id. */
const emails = new Map<number, string>();
for (const line of (await caller.sendText("/api/users/export?fields=email", "GET")).split("\n")) {
  if (line === "") continue;
  const { id, email } = Object(JSON.parse(line));
  if (typeof email === "string") emails.set(id, email);
}
const meter = () => {
  const [service, postgres] = [startCpuMeter(pid), engine.startCpuMeter()];
  return () => service() + postgres();
};
const figures = await measureComparisons(openComparisons(caller), rounds, meter);
const ids = Array.from({ length: members }, (_, index) => index + 1);
const group = await caller.createGroup("All", ids);
const reading = await measureMembers(url, pid, group);

print(json, { ...numbers, engine: texts.engine, figures, reading, patchIds: PATCH_IDS }, [
  comparisonHeading,
  ...comparisonRows(figures),
  [
    `memory while a group of ${members} members is read, MB`,
    reading.megabytes.toFixed(0),
    "",
    "",
    "≤ 50",
    verdict(reading.megabytes <= 50),
  ],
  [`its ${(reading.bytes / 2 ** 20).toFixed(0)} MB take, s`, reading.seconds.toFixed(1), "", "", "", ""],
]);
