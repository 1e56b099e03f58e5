/**
 * What groups cost: CPU time per request of the service and the database server, each kind of request compared with another one in the
 * same interleaved run. Also how long it takes until a large group is removed, and the disk space of a membership.
 */
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { SQL } from "bun";
import { createSecret } from "../src/contract/keys/key-secret.ts";
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
import { ScratchFolder } from "./support/scratch-folder.ts";
import { print, verdict } from "./support/table.ts";

const { numbers, texts, json } = readOptionsWithTexts(
  { members: 1_000_000, rounds: 7, requests: 200 },
  { engine: "sqlite" },
);
const { members, rounds } = numbers;
/** Reads take so little time that the clock of the processes needs more of them. */
const READS_PER_REQUEST = 5;
const SMALL = 10;
/** Lines of an import. */
const LINES = Math.min(10_000, members);
/** Memberships that are imported beside other requests. */
const MANY_LINES = Math.min(100_000, members);

const key = createSecret();

/** Sends each value as a line, and expects this status for all of them. */
async function importLines(caller: JsonCaller, path: string, values: readonly object[], status: number) {
  const body = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  const results = await caller.sendText(path, "POST", "application/x-ndjson", body);
  const done = results.split(`"status":${status}`).length - 1;
  if (done !== values.length)
    throw new Error(`${path}: ${done} of ${values.length} lines have the status ${status}.`);
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

async function openComparisons(
  caller: JsonCaller,
  meter: () => () => number,
): Promise<{ large: number; comparisons: Comparison[] }> {
  const requests = numbers.requests;
  // The last users are in no group: they are added and removed.
  const outside = members + 1;
  const small = await caller.createGroup("Small", range(1, SMALL));
  const large = await caller.createGroup("Large", range(1, members));
  let number = 0;
  const next = () => 1 + ((number++ * 7919) % members);
  const each = (name: string, path: () => string): Subject => ({
    name,
    count: READS_PER_REQUEST * requests,
    async run() {
      for (let i = 0; i < READS_PER_REQUEST * requests; i++) await caller.send(path());
    },
  });
  const oneMember = (name: string, group: number): Subject => ({
    name,
    count: 2 * requests,
    async run() {
      for (let i = 0; i < requests; i++) {
        await caller.send(`/api/groups/${group}/members/${outside}`, "PUT");
        await caller.send(`/api/groups/${group}/members/${outside}`, "DELETE");
      }
    },
  });
  const added = range(members + 2, PATCH_IDS);
  const patch: Subject = {
    name: `add ${PATCH_IDS} members, remove them`,
    count: 2,
    async run() {
      await caller.send(`/api/groups/${small}/members`, "PATCH", { add: added });
      await caller.send(`/api/groups/${small}/members`, "PATCH", { remove: added });
    },
  };
  let created = 0;
  const creates: Subject = {
    name: `create ${PATCH_IDS} users`,
    count: 1,
    async run() {
      for (let i = 0; i < PATCH_IDS; i++) {
        const name = `Created ${++created}`;
        await caller.send("/api/users", "POST", { name, email: `created${created}@example.com` });
      }
    },
  };
  const groups: number[] = [];
  for (const each of range(1, 10)) groups.push(await caller.createGroup(`Ten ${each}`, []));
  const deleteUsers = (name: string, groupIds: readonly number[]): Subject => ({
    name,
    count: 20,
    async run() {
      const ids: number[] = [];
      for (let i = 0; i < 20; i++) {
        const name = `Deleted ${++created}`;
        ids.push(Object(await caller.send("/api/users", "POST", { name })).id);
      }
      for (const group of groupIds) await caller.send(`/api/groups/${group}/members`, "PATCH", { add: ids });
      const stop = meter();
      for (const id of ids) await caller.send(`/api/users/${id}`, "DELETE");
      return stop();
    },
  });
  const names = (await caller.sendText(`/api/memberships/export?names=true&group=${large}`, "GET"))
    .split("\n", LINES)
    .map((line): { user: string } => JSON.parse(line));
  const imported = await caller.createGroup("Imported", []);
  const importMemberships = (name: string, lines: readonly object[]): Subject => ({
    name,
    count: lines.length,
    async run() {
      const stop = meter();
      await importLines(caller, "/api/memberships/import", lines, 201);
      const measured = stop();
      await importLines(caller, "/api/memberships/import?remove=true", lines, 200);
      return measured;
    },
  });
  const importUsers: Subject = {
    name: `import ${LINES} users`,
    count: LINES,
    async run() {
      const lines = range(0, LINES).map((line) => {
        const name = `Imported ${created + line}`;
        return {
          name,
          email: `imported${created + line}@example.com`,
          department: "sales",
          level: line % 10,
        };
      });
      created += LINES;
      const stop = meter();
      await importLines(caller, "/api/users/import", lines, 201);
      return stop();
    },
  };
  const page = () => `limit=20&after=${next()}.0.id`;
  const user = each("read a user", () => `/api/users/${next()}`);
  const users = each("page of 20 users", () => `/api/users?${page()}`);
  const byName = each("page of 20 users by name", () => "/api/users?limit=20&sort=name&q=ada");
  return {
    large,
    comparisons: [
      {
        name: `read a group of ${members}, against a user`,
        subject: each("read a group", () => `/api/groups/${large}`),
        base: user,
        target: 1.1,
      },
      {
        name: `add or remove one member: group of ${members}, against one of ${SMALL}`,
        subject: oneMember("one member of the large group", large),
        base: oneMember("one member of the small group", small),
        target: 1.3,
      },
      {
        name: `change ${PATCH_IDS} members, against ${PATCH_IDS} creates`,
        subject: patch,
        base: creates,
        target: 0.25,
      },
      {
        name: "import of a membership by ids, against an import of a user",
        subject: importMemberships(
          "import memberships by ids",
          range(1, LINES).map((user) => ({ group: imported, user })),
        ),
        base: importUsers,
        target: 0.67,
      },
      {
        name: "import of a membership by names, against an import of a user",
        subject: importMemberships(
          "import memberships by names",
          names.map(({ user }) => ({ group: "imported", user })),
        ),
        base: importUsers,
        target: 0.67,
      },
      {
        name: `page of 20 of ${members} members, against all users`,
        subject: each("page of members", () => `/api/groups/${large}/members?${page()}`),
        base: users,
        target: 1.5,
      },
      {
        name: `?group= of ${members}, against all users`,
        subject: each("?group=", () => `/api/users?group=${large}&${page()}`),
        base: users,
        target: 1.5,
      },
      {
        name: `members by name with q, against all users`,
        subject: each("members by name", () => `/api/groups/${large}/members?limit=20&sort=name&q=ada`),
        base: byName,
        target: 1.5,
      },
      {
        name: "delete a user in 10 groups, against one in none",
        subject: deleteUsers("delete in 10 groups", groups),
        base: deleteUsers("delete in none", []),
        target: 4,
      },
    ],
  };
}

/** Creates one after the other until `isDone`, at least `fewest`. Returns their times. */
async function timeCreates(
  caller: JsonCaller,
  isDone: () => Promise<boolean>,
  fewest = 300,
): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; times.length < fewest || !(await isDone()); number++) {
    const start = performance.now();
    await caller.send("/api/users", "POST", { name: `Beside ${number}` });
    times.push(performance.now() - start);
  }
  return times;
}

/** The 99th percentile. */
function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

async function measureRemoval(caller: JsonCaller, large: number, countLeft: () => Promise<number>) {
  const alone = p99(await timeCreates(caller, async () => true));
  const start = performance.now();
  await caller.send(`/api/groups/${large}`, "DELETE");
  const answerMs = performance.now() - start;
  const beside = p99(await timeCreates(caller, async () => (await countLeft()) === 0));
  return { answerMs, seconds: (performance.now() - start) / 1000, p99Ratio: beside / alone };
}

/** Parts of the import: in front of each, creates run alone. */
const IMPORT_PARTS = 5;

/** How long creates take beside an import of many memberships, against creates alone, in turns. */
async function measureImport(caller: JsonCaller) {
  const group = await caller.createGroup("Imported beside creates", []);
  const size = Math.ceil(MANY_LINES / IMPORT_PARTS);
  const [alone, beside]: [number[], number[]] = [[], []];
  let seconds = 0;
  for (let part = 0; part < IMPORT_PARTS; part++) {
    alone.push(...(await timeCreates(caller, async () => true)));
    const lines = range(1 + part * size, size).map((user) => ({ group, user }));
    let isDone = false;
    const start = performance.now();
    const importing = importLines(caller, "/api/memberships/import", lines, 201).then(() => {
      isDone = true;
      seconds += (performance.now() - start) / 1000;
    });
    beside.push(...(await timeCreates(caller, async () => isDone, 1)));
    await importing;
  }
  const [aloneMs, besideMs] = [p99(alone), p99(beside)];
  return { aloneMs, besideMs, p99Ratio: besideMs / aloneMs, seconds };
}

/** The groups that were removed and still have memberships. */
async function countRemoved(database: string): Promise<number> {
  if (texts.engine === "sqlite") {
    using db = new Database(database, { readonly: true });
    return db.query<{ count: number }, []>("SELECT count(*) AS count FROM removed_groups").get()?.count ?? 0;
  }
  await using sql = new SQL(database, { max: 1 });
  const [row] = await sql.unsafe("SELECT count(*) FROM roster.removed_groups").values();
  return Number(row?.[0]);
}

const startEngine = new Map(Object.entries(engines)).get(texts.engine);
if (!startEngine) throw new RangeError(`--engine must be one of ${Object.keys(engines).join(", ")}.`);
await using engine = await startEngine();
const database = await engine.create("groups");
await runSeed(members + 1 + PATCH_IDS, database);
const flags = ["--rate-limit=0", "--database-wait=60000"];
await using server = await startService(database, flags, { ROSTER_API_KEY: key });
const { url, pid } = server;
/** Measures the service and the database server. */
const meter = () => {
  const [service, postgres] = [startCpuMeter(pid), engine.startCpuMeter()];
  return () => service() + postgres();
};
const caller = new JsonCaller(url, key);
const { large, comparisons } = await openComparisons(caller, meter);
const figures = await measureComparisons(comparisons, rounds, meter);
const importing = await measureImport(caller);
const removal = await measureRemoval(caller, large, () => countRemoved(database));
const bytes = texts.engine === "sqlite" ? measureBytes() : undefined;

/** The bytes of a membership in a new file: of its row, and of its entry in the index. */
function measureBytes(): number {
  using folder = new ScratchFolder();
  const path = folder.file("memberships.db");
  using db = new Database(path);
  db.run(
    "CREATE TABLE memberships (group_id INTEGER, user_id INTEGER, PRIMARY KEY (group_id, user_id)) STRICT, WITHOUT ROWID",
  );
  db.run("CREATE INDEX memberships_by_user ON memberships (user_id, group_id)");
  const before = statSync(path).size;
  const insert = db.prepare<void, [number, number]>("INSERT INTO memberships VALUES (?, ?)");
  db.transaction(() => {
    for (let user = 1; user <= 100_000; user++)
      for (let group = 1; group <= 5; group++) insert.run(group, user);
  })();
  return (statSync(path).size - before) / 500_000;
}

print(json, { ...numbers, engine: texts.engine, figures, importing, removal, bytes }, [
  comparisonHeading,
  ...comparisonRows(figures),
  [`import of ${MANY_LINES} memberships beside creates, s`, importing.seconds.toFixed(1), "", "", "", ""],
  [
    "p99 of creates beside it, ms",
    importing.besideMs.toFixed(1),
    importing.aloneMs.toFixed(1),
    importing.p99Ratio.toFixed(2),
    "≤ 2",
    verdict(importing.p99Ratio <= 2),
  ],
  [
    "answer of the deletion, ms",
    removal.answerMs.toFixed(1),
    "",
    "",
    "≤ 50",
    verdict(removal.answerMs <= 50),
  ],
  [
    "all memberships removed after, s",
    removal.seconds.toFixed(1),
    "",
    "",
    "≤ 60",
    verdict(removal.seconds <= 60),
  ],
  ["p99 of creates beside it", "", "", removal.p99Ratio.toFixed(2), "≤ 2", verdict(removal.p99Ratio <= 2)],
  ...(bytes === undefined
    ? []
    : [["bytes of a membership", bytes.toFixed(1), "", "", "≤ 60", verdict(bytes <= 60)]]),
]);
