import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ApiError,
  createClient,
  type ImportedLine,
  type ImportSource,
  type User,
  type UserInput,
  type Users,
} from "../../src/client/index.ts";
import { bulkLimits } from "../../src/contract/bulk/bulk.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { failure, failureOf } from "./support/servers.ts";

/** More than four chunks of an import. */
const MANY = 2100;

let service: TestService;
/** Over a socket, without the tests' checks, which would read every response to its end. */
let users: Users;
const reported: unknown[] = [];
const folder = mkdtempSync(join(tmpdir(), "roster-bulk-"));

beforeAll(async () => {
  service = await startService();
  users = createClient({ baseUrl: service.url, retries: 0, onError: (error) => reported.push(error) }).users;
}, 120_000);

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Users of a team, with text that is hard to encode. */
function* people(team: string, count: number): Generator<UserInput> {
  for (let n = 1; n <= count; n++) {
    yield {
      name: `Zoë "${n}", 王\n`.trim(),
      email: `${team}-${n}@example.com`,
      team,
      n,
      tags: ["a,b", null],
    };
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const inTeam = (team: string) => collect(users.export({ where: { team } }));
const names = (all: readonly User[]) => all.map(({ name }) => name);
const statuses = (outcomes: readonly ImportedLine[]) => outcomes.map(({ line, status }) => [line, status]);

describe("2,100 users", () => {
  test("are imported from a generator with line and id, and exported unchanged", async () => {
    const outcomes = await collect(users.import(people("many", MANY)));
    expect(outcomes).toHaveLength(MANY);
    expect(outcomes.every(({ line, status, id }, at) => line === at + 1 && status === 201 && id)).toBe(true);
    const sent = [...people("many", MANY)];
    let at = 0;
    for await (const { id, version, createdAt, updatedAt, ...rest } of users.export({
      where: { team: "many" },
    })) {
      if (at % 397 === 0) {
        expect<unknown>(rest).toEqual(sent[at]);
        expect({ id, version, createdAt }).toEqual({
          id: outcomes[at]?.id ?? 0,
          version: 1,
          createdAt: updatedAt,
        });
      }
      at++;
    }
    expect(at).toBe(MANY);
  }, 120_000);

  test("are streamed from an export into an import", async () => {
    async function* copies() {
      for await (const user of users.export({ where: { team: "many" } })) {
        yield { ...user, email: null, team: "copies" };
      }
    }
    expect(await users.import(copies()).summary()).toEqual({
      created: MANY,
      existing: 0,
      failed: 0,
      failures: [],
    });
    const [first] = await collect(users.export({ where: { team: "copies", n: 1 } }));
    expect(first).toMatchObject({ name: 'Zoë "1", 王', tags: ["a,b", null] });
    expect(first).not.toHaveProperty("email");
  }, 120_000);

  test("are exported as CSV and imported again", async () => {
    const path = join(folder, "many.csv");
    await Bun.write(path, new Response(await users.export({ where: { team: "many" } }).stream("csv")));
    const text = readFileSync(path, "utf8");
    expect(text).toStartWith("id,name,email,team,n,tags,version,createdAt,updatedAt\r\n");
    writeFileSync(path, text.replaceAll("many", "tabled"));
    const summary = await users.import(createReadStream(path), { format: "csv" }).summary();
    expect(summary).toEqual({ created: MANY, existing: 0, failed: 0, failures: [] });
    const [last] = await collect(users.export({ where: { team: "tabled", n: MANY } }));
    expect(last).toMatchObject({ name: `Zoë "${MANY}", 王`, n: MANY, tags: ["a,b", null] });
  }, 120_000);
});

describe("an import", () => {
  test("yields the result of each line, and continues after a failed line", async () => {
    const outcomes = await collect(
      users.import([
        { name: "Ada", email: "ada@mixed.example", team: "mixed" },
        { name: "", team: "mixed" },
        { name: "Eve", email: "ADA@mixed.example", team: "mixed" },
        { name: "Bob", team: "mixed" },
      ]),
    );
    expect(statuses(outcomes)).toEqual([
      [1, 201],
      [2, 422],
      [3, 409],
      [4, 201],
    ]);
    expect(outcomes[1]?.problem).toMatchObject({
      type: "/problems/invalid-user",
      errors: [{ pointer: "/name" }],
    });
    expect(outcomes[2]?.problem?.type).toBe("/problems/email-taken");
    const created = await inTeam("mixed");
    expect(names(created)).toEqual(["Ada", "Bob"]);
    expect(created.map(({ id }) => id)).toEqual([outcomes[0]?.id ?? 0, outcomes[3]?.id ?? 0]);
  });

  const lines = (team: string) => `{"name":"Ada","team":"${team}"}\n\n{"name":"Bob","team":"${team}"}`;
  const table = (team: string) => `name;team\r\n"A;da";${team}\r\nBob;${team}\r\n`;
  const sources: Record<string, (text: string) => ImportSource> = {
    "a text": (text) => text,
    bytes: (text) => new TextEncoder().encode(text),
    "a Blob": (text) => new Blob([text]),
    "an array of bytes": (text) => [new Uint8Array(), ...chunks(text)],
    "a stream of bytes": (text) => new Blob([text]).stream(),
    "a stream of text": (text) => streamOf([...text, ""]),
    "a generator of bytes": (text) => chunks(text),
    "a file that Node reads": (text) => {
      const path = join(folder, `${Math.random()}`);
      writeFileSync(path, text);
      return createReadStream(path, { highWaterMark: 3 });
    },
  };
  for (const [kind, make] of Object.entries(sources)) {
    test(`accepts ${kind} of NDJSON and of CSV`, async () => {
      const outcomes = await collect(users.import(make(lines(kind))));
      expect(statuses(outcomes)).toEqual([
        [1, 201],
        [3, 201],
      ]);
      const rows = await collect(users.import(make(table(kind)), { format: "csv" }));
      expect(statuses(rows)).toEqual([
        [2, 201],
        [3, 201],
      ]);
      expect(names(await inTeam(kind))).toEqual(["Ada", "Bob", "A;da", "Bob"]);
    });
  }

  test("accepts a stream of users, and any iterable", async () => {
    await users.import(streamOf(people("streamed", 3))).summary();
    await users.import(new Set(people("set", 3))).summary();
    const set = await inTeam("set");
    expect([await inTeam("streamed"), set].map(({ length }) => length)).toEqual([3, 3]);
  });

  test("of no users ends immediately", async () => {
    expect(await collect(users.import([]))).toEqual([]);
    expect(await collect(users.import(people("none", 0)))).toEqual([]);
  });

  test("repeated with its key creates no user twice, and yields the same results", async () => {
    const first = users.import(people("once", 1100));
    const outcomes = await collect(first);
    const { idempotencyKey } = first;
    expect(await collect(users.import(people("once", 1100), { idempotencyKey }))).toEqual(outcomes);
    expect(await inTeam("once")).toHaveLength(1100);
  });

  test("that was abandoned can be repeated", async () => {
    const first = users.import(people("left", 2000));
    for await (const { line } of first) if (line >= 600) break;
    // The service may still process the first import. The client retries data in memory.
    const patient = createClient({ baseUrl: service.url, retries: 10, onRetry: () => undefined });
    const outcomes = await collect(patient.users.import([...people("left", 2000)], first));
    expect(outcomes.every(({ status }) => status === 201)).toBe(true);
    expect(await inTeam("left")).toHaveLength(2000);
  });

  test("with the key of another import throws, and says after which line", async () => {
    const before = users.import(people("before", 10));
    await before.summary();
    const error = await failureOf(ApiError, users.import(people("another", 10), before).summary());
    expect(error.type).toBe("idempotency-mismatch");
    const long = users.import(people("long", 1600));
    await long.summary();
    // The same first chunks, then other lines.
    function* changed() {
      for (const user of people("long", 100_000)) yield user.n === 1200 ? { ...user, name: "Eve" } : user;
    }
    const late = await failureOf(ApiError, users.import(changed(), long).summary());
    expect(late).toMatchObject({ type: "idempotency-mismatch", status: 422, lastLine: 1500 });
    expect(late.message).toEndWith("The import ended, after the result of line 1500");
    expect(await inTeam("long")).toHaveLength(1600);
  });

  test("of objects with the format csv throws", async () => {
    const error = await failureOf(TypeError, users.import([{ name: "Ada" }], { format: "csv" }).summary());
    expect(error.message).toBe(
      'With format: "csv" the source must be text or bytes. Omit the format to import objects.',
    );
  });

  test("with an error response throws the problem before the source ends", async () => {
    function* table() {
      yield "naem,email\n";
      for (let n = 0; n < 100_000; n++) yield `User ${n},wrong-${n}@example.com\n`;
    }
    const error = await failureOf(ApiError, users.import(table(), { format: "csv" }).summary());
    expect(error).toMatchObject({ status: 422, type: "invalid-user", tries: 1 });
    expect(error.problem?.errors?.map(({ pointer }) => pointer)).toContain("/name");
  });

  test("throws the error of its source after the earlier results", async () => {
    const mine = new Error("mine");
    async function* failing() {
      yield* people("failing", 1600);
      throw mine;
    }
    reported.length = 0;
    expect(await failure(users.import(failing()).summary())).toBe(mine);
    const unreadable = {
      get name(): string {
        throw mine;
      },
    };
    expect(await failure(users.import([unreadable]).summary())).toBe(mine);
    expect(await failure(users.import(new Set([unreadable])).summary())).toBe(mine);
    expect(reported).toEqual([mine, mine, mine]);
    const left = await inTeam("failing");
    expect(left.length).toBeWithin(0, 1600);
    expect(left.length % 500).toBe(0);
  });

  test("that is abandoned closes its source", async () => {
    const ended = Promise.withResolvers<void>();
    async function* endless() {
      try {
        for (let n = 0; ; n++) yield { name: `User ${n}`, team: "endless" };
      } finally {
        ended.resolve();
      }
    }
    for await (const { line } of users.import(endless())) if (line > 10) break;
    await ended.promise;
  });

  test("sends and reads nothing before it is iterated", async () => {
    let taken = 0;
    function* counting() {
      taken++;
      yield { name: "Ada", team: "lazy" };
    }
    const work = users.import(counting());
    // Another call takes longer than the begin of an import.
    await users.list({ limit: 1 }).page();
    expect(taken).toBe(0);
    expect(await work.summary()).toMatchObject({ created: 1 });
  });

  test("skips or updates users that exist, and checks a source without importing it", async () => {
    const { id } = await users.create({ name: "Ada", email: "ada@options.example", team: "old" });
    const source = [
      { name: "Ada", email: "ada@options.example", team: "new" },
      { name: "Bob", email: "bob@options.example" },
    ];
    const dry = await collect(users.import(source, { onConflict: "update", dryRun: true }));
    expect(dry).toEqual([
      { line: 1, status: 200, id },
      { line: 2, status: 201 },
    ]);
    expect(await users.import(source, { onConflict: "skip" }).summary()).toMatchObject({
      created: 1,
      existing: 1,
      failed: 0,
    });
    expect((await users.get(id)).team).toBe("old");
    const changes = [{ id, name: "Ada", team: "newest" }];
    expect(await users.import(changes, { onConflict: "update", match: "id" }).summary()).toMatchObject({
      created: 0,
      existing: 1,
    });
    expect((await users.get(id)).team).toBe("newest");
  });

  test("returns a summary with a maximum number of failures", async () => {
    function* mixed() {
      for (let n = 0; n < 1000; n++) yield { name: n % 2 ? "Ada" : "", team: "summed" };
    }
    const { failures, ...counts } = await users.import(mixed()).summary();
    expect(counts).toEqual({ created: 500, existing: 0, failed: 500 });
    expect(failures).toHaveLength(100);
    const few = await users.import(mixed()).summary({ max: 2 });
    expect(few.failures.map(({ line }) => line)).toEqual([1, 3]);
  });
});

describe("an export", () => {
  beforeAll(async () => {
    await users
      .import([
        { name: "Cid", team: "sorted", level: 1 },
        { name: "Ada", team: "sorted", level: 2, email: "ada@sorted.example" },
        { name: "Bob", team: "sorted", level: 2 },
      ])
      .summary();
  });

  test("searches, filters and sorts like a list", async () => {
    const where = { team: "sorted" };
    expect(names(await collect(users.export({ where, sort: "-name" })))).toEqual(["Cid", "Bob", "Ada"]);
    expect(names(await collect(users.export({ where: { ...where, level: [2, 3] } })))).toEqual([
      "Ada",
      "Bob",
    ]);
    expect(names(await collect(users.export({ where, q: "ada@sor" })))).toEqual(["Ada"]);
    expect(await collect(users.export({ where }))).toEqual(await users.list({ where }).all());
  });

  test("of no users is empty", async () => {
    expect(await collect(users.export({ where: { team: "nowhere" } }))).toEqual([]);
    expect(await collect(users.export({ where: { team: [] } }))).toEqual([]);
    expect(await new Response(await users.export({ where: { team: [] } }).stream("csv")).text()).toBe("");
  });

  test("returns bytes in both formats", async () => {
    const sorted = users.export({ where: { team: "sorted" }, sort: "name" });
    const text = await new Response(await sorted.stream()).text();
    expect(
      text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual(await collect(sorted));
    const table = await new Response(await sorted.stream("csv")).text();
    expect(table.split("\r\n").map((row) => row.split(",")[1])).toEqual([
      "name",
      "Ada",
      "Bob",
      "Cid",
      undefined,
    ]);
  });

  test("with an error response throws the problem first, and calls onError once", async () => {
    reported.length = 0;
    const wrong = users.export({ q: "x".repeat(101) });
    const thrown = [
      await failureOf(ApiError, collect(wrong)),
      await failureOf(ApiError, wrong.stream("csv")),
      await failureOf(RangeError, collect(users.export({ where: { limit: 3 } }))),
    ];
    expect(thrown[0]).toMatchObject({ status: 400, type: "invalid-query" });
    expect(reported).toEqual(thrown);
  });

  test("can be abandoned many times", async () => {
    for (let round = 0; round < bulkLimits.streamsPerCaller + 1; round++) {
      for await (const { id } of users.export()) if (id >= 3) break;
      await (await users.export().stream()).cancel();
    }
    // Exports that did not end would be refused.
    expect(await inTeam("sorted")).toHaveLength(3);
    // The client ended all exports, not the service.
    const metrics = () => fetch(`${service.url}/metrics`).then((response) => response.text());
    await until(async () => /^roster_bulk_streams 0$/m.test(await metrics()));
    expect(await metrics()).toMatch(/^roster_bulk_closed_total\{reason="slow"\} 0$/m);
  }, 120_000);
});

function* chunks(text: string): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += 5) yield bytes.subarray(start, start + 5);
}

function streamOf<T>(items: Iterable<T>): ReadableStream<T> {
  const iterator = items[Symbol.iterator]();
  return new ReadableStream<T>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

describe("a bulk change", () => {
  test("changes and deletes users, and returns the result of each", async () => {
    const created = await Promise.all(
      Array.from({ length: 3 }, (_, n) => users.create({ name: `Bulk ${n}`, team: "before" })),
    );
    const ids = created.map(({ id }) => id);
    const change = { ids: [...ids, 999_999_999], patch: { team: "after" } };
    const results = await collect(users.bulk(change));
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ...ids.map((id) => [id, 200]),
      [999_999_999, 404],
    ]);
    expect(results.at(-1)?.problem?.type).toBe("/problems/user-not-found");
    expect((await users.get(ids[2] ?? 0)).team).toBe("after");
    const summary = await users.bulk({ ids: [...ids.map(String), "999999999"], delete: true }).summary();
    expect(summary).toMatchObject({ changed: 3, failed: 1, failures: [{ id: 999_999_999, status: 404 }] });
  });

  test("can be repeated with its idempotency key", async () => {
    const { id } = await users.create({ name: "Once" });
    const first = users.bulk({ ids: [id], delete: true });
    expect(await first.summary()).toMatchObject({ changed: 1 });
    const { idempotencyKey } = first;
    expect(await users.bulk({ ids: [id], delete: true }, { idempotencyKey }).summary()).toMatchObject({
      changed: 1,
      failed: 0,
    });
  });

  test("with an invalid change rejects with the problem", async () => {
    const error = await users
      .bulk({ ids: [], delete: true })
      .summary()
      .catch((reason: unknown) => reason);
    expect(String(error)).toContain("422 invalid-bulk");
  });
});
