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
import { startService, type TestService } from "../support/service.ts";
import { failure, failureOf } from "./servers.ts";

const MANY = 20_000;

let service: TestService;
/** Over the socket, and with nothing between: what the tests put there would read every answer to its end. */
let users: Users;
const told: unknown[] = [];
const folder = mkdtempSync(join(tmpdir(), "roster-bulk-"));

beforeAll(async () => {
  service = await startService();
  users = createClient({ baseUrl: service.url, retries: 0, onError: (error) => told.push(error) }).users;
}, 120_000);

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** So many users of a team, with all that makes text hard. */
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

describe("20,000 users", () => {
  test("go in from a generator, each with its line and its id, and come out as they were", async () => {
    const outcomes = await collect(users.import(people("many", MANY)));
    expect(outcomes).toHaveLength(MANY);
    expect(outcomes.every(({ line, status, id }, at) => line === at + 1 && status === 201 && id)).toBe(true);
    const sent = [...people("many", MANY)];
    let at = 0;
    for await (const { id, version, createdAt, updatedAt, ...rest } of users.export({
      where: { team: "many" },
    })) {
      if (at % 997 === 0) {
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

  test("go from one export into another import, none of them held for longer than it takes", async () => {
    async function* copies() {
      for await (const user of users.export({ where: { team: "many" } })) {
        yield { ...user, email: null, team: "copies" };
      }
    }
    expect(await users.import(copies()).summary()).toEqual({ created: MANY, failed: 0, failures: [] });
    const [first] = await collect(users.export({ where: { team: "copies", n: 1 } }));
    expect(first).toMatchObject({ name: 'Zoë "1", 王', tags: ["a,b", null] });
    expect(first).not.toHaveProperty("email");
  }, 120_000);

  test("go out as a table and in again", async () => {
    const path = join(folder, "many.csv");
    await Bun.write(path, new Response(await users.export({ where: { team: "many" } }).stream("csv")));
    const text = readFileSync(path, "utf8");
    expect(text).toStartWith("id,name,email,team,n,tags,version,createdAt,updatedAt\r\n");
    writeFileSync(path, text.replaceAll("many", "tabled"));
    const summary = await users.import(createReadStream(path), { format: "csv" }).summary();
    expect(summary).toEqual({ created: MANY, failed: 0, failures: [] });
    const [last] = await collect(users.export({ where: { team: "tabled", n: MANY } }));
    expect(last).toMatchObject({ name: `Zoë "${MANY}", 王`, n: MANY, tags: ["a,b", null] });
  }, 120_000);
});

describe("an import", () => {
  test("says of each line what became of it, and one that is refused stops no other", async () => {
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
    const made = await inTeam("mixed");
    expect(names(made)).toEqual(["Ada", "Bob"]);
    expect(made.map(({ id }) => id)).toEqual([outcomes[0]?.id ?? 0, outcomes[3]?.id ?? 0]);
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
    test(`takes ${kind} of NDJSON and of CSV`, async () => {
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

  test("takes a stream of users, and an iterable that is neither array nor generator", async () => {
    await users.import(streamOf(people("streamed", 3))).summary();
    await users.import(new Set(people("set", 3))).summary();
    const set = await inTeam("set");
    expect([await inTeam("streamed"), set].map(({ length }) => length)).toEqual([3, 3]);
  });

  test("of nobody is done at once", async () => {
    expect(await collect(users.import([]))).toEqual([]);
    expect(await collect(users.import(people("nobody", 0)))).toEqual([]);
  });

  test("that is repeated whole under its key makes nobody twice, and gives the same outcomes", async () => {
    const first = users.import(people("once", 1700));
    const outcomes = await collect(first);
    const { idempotencyKey } = first;
    expect(await collect(users.import(people("once", 1700), { idempotencyKey }))).toEqual(outcomes);
    expect(await inTeam("once")).toHaveLength(1700);
  });

  test("that was left in the middle can be repeated whole", async () => {
    const first = users.import(people("left", 5000));
    for await (const { line } of first) if (line >= 600) break;
    // The service may not be done with what it had got. For what is at hand that is waited for.
    const patient = createClient({ baseUrl: service.url, retries: 10, onRetry: () => undefined });
    const outcomes = await collect(patient.users.import([...people("left", 5000)], first));
    expect(outcomes.every(({ status }) => status === 201)).toBe(true);
    expect(await inTeam("left")).toHaveLength(5000);
  });

  test("under the key of another is refused, and says from where on nothing was done", async () => {
    const before = users.import(people("before", 10));
    await before.summary();
    const error = await failureOf(ApiError, users.import(people("another", 10), before).summary());
    expect(error.type).toBe("idempotency-mismatch");
    const long = users.import(people("long", 3000));
    await long.summary();
    // As it was for some chunks, and then something else.
    function* changed() {
      for (const user of people("long", 100_000)) yield user.n === 1200 ? { ...user, name: "Eve" } : user;
    }
    const late = await failureOf(ApiError, users.import(changed(), long).summary());
    expect(late).toMatchObject({ type: "idempotency-mismatch", status: 422, lastLine: 1500 });
    expect(late.message).toEndWith("The import ended, after the result of line 1500");
    expect(await inTeam("long")).toHaveLength(3000);
  });

  test("of users as a table is a mistake", async () => {
    const error = await failureOf(TypeError, users.import([{ name: "Ada" }], { format: "csv" }).summary());
    expect(error.message).toBe(
      'With format: "csv" the source must be text or bytes. Omit the format to import objects.',
    );
  });

  test("that is refused as a whole throws the problem, however much of it was still to come", async () => {
    function* table() {
      yield "naem,email\n";
      for (let n = 0; n < 100_000; n++) yield `User ${n},wrong-${n}@example.com\n`;
    }
    const error = await failureOf(ApiError, users.import(table(), { format: "csv" }).summary());
    expect(error).toMatchObject({ status: 422, type: "invalid-user", tries: 1 });
    expect(error.problem?.errors?.map(({ pointer }) => pointer)).toContain("/name");
  });

  test("throws what its source throws, and what was answered before stays", async () => {
    const mine = new Error("mine");
    async function* failing() {
      yield* people("failing", 3000);
      throw mine;
    }
    told.length = 0;
    expect(await failure(users.import(failing()).summary())).toBe(mine);
    const unreadable = {
      get name(): string {
        throw mine;
      },
    };
    expect(await failure(users.import([unreadable]).summary())).toBe(mine);
    expect(await failure(users.import(new Set([unreadable])).summary())).toBe(mine);
    expect(told).toEqual([mine, mine, mine]);
    const left = await inTeam("failing");
    expect(left.length).toBeWithin(0, 3000);
    expect(left.length % 500).toBe(0);
  });

  test("that is left lets go of its source", async () => {
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

  test("sends nothing, and takes nothing, before somebody asks", async () => {
    let taken = 0;
    function* counting() {
      taken++;
      yield { name: "Ada", team: "asked" };
    }
    const work = users.import(counting());
    await Bun.sleep(20);
    expect(taken).toBe(0);
    expect(await work.summary()).toMatchObject({ created: 1 });
  });

  test("sums up, and keeps no more refusals than it is told", async () => {
    function* mixed() {
      for (let n = 0; n < 1000; n++) yield { name: n % 2 ? "Ada" : "", team: "summed" };
    }
    const { failures, ...counts } = await users.import(mixed()).summary();
    expect(counts).toEqual({ created: 500, failed: 500 });
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

  test("finds, filters and sorts as a list does", async () => {
    const where = { team: "sorted" };
    expect(names(await collect(users.export({ where, sort: "-name" })))).toEqual(["Cid", "Bob", "Ada"]);
    expect(names(await collect(users.export({ where: { ...where, level: [2, 3] } })))).toEqual([
      "Ada",
      "Bob",
    ]);
    expect(names(await collect(users.export({ where, q: "ada@sor" })))).toEqual(["Ada"]);
    expect(await collect(users.export({ where }))).toEqual(await users.list({ where }).all());
  });

  test("of nobody is empty", async () => {
    expect(await collect(users.export({ where: { team: "nowhere" } }))).toEqual([]);
    expect(await collect(users.export({ where: { team: [] } }))).toEqual([]);
    expect(await new Response(await users.export({ where: { team: [] } }).stream("csv")).text()).toBe("");
  });

  test("can be had as bytes, in both forms", async () => {
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

  test("that is refused throws the problem before anything else, and onError is told once", async () => {
    told.length = 0;
    const wrong = users.export({ q: "x".repeat(101) });
    const thrown = [
      await failureOf(ApiError, collect(wrong)),
      await failureOf(ApiError, wrong.stream("csv")),
      await failureOf(RangeError, collect(users.export({ where: { limit: 3 } }))),
    ];
    expect(thrown[0]).toMatchObject({ status: 400, type: "invalid-query" });
    expect(told).toEqual(thrown);
  });

  test("can be left early, again and again", async () => {
    for (let round = 0; round < 80; round++) {
      for await (const { id } of users.export()) if (id >= 3) break;
      await (await users.export().stream()).cancel();
    }
    // There may be 64 at a time: whoever did not end them would have been refused.
    expect(await inTeam("sorted")).toHaveLength(3);
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
