import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { bulkLimits } from "../../src/contract/bulk/bulk.ts";
import type { Scope } from "../../src/contract/keys/key.ts";
import { CSV, NDJSON, parseLines } from "../support/bulk-requests.ts";
import type { Call } from "../support/call.ts";
import { bearer } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { describeProblem, type ReadResponse, readResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { KeyAdmin } from "./access/support/key-admin.ts";

setDefaultTimeout(60_000);

/** The id of no user and of no group. */
const MISSING_ID = 999_999;
const LONG = "x".repeat(257);

/** A group and a user: ids or texts. */
type Pair = readonly [group: unknown, user: unknown];

const toNdjson = (pairs: readonly Pair[]) =>
  pairs.map(([group, user]) => `${JSON.stringify({ group, user })}\n`).join("");

/** Lines that are refused, with the status, the problem and the pointers of the errors. User 1 and group 1 exist. */
const badLines: readonly (readonly [
  name: string,
  line: string,
  status: number,
  type: string,
  ...string[],
])[] = [
  ["not JSON", "{", 400, "malformed-json"],
  ["two objects", '{"group":1,"user":1} {}', 400, "malformed-json"],
  ["more than 64 KiB", `{"group":1,"user":"${"x".repeat(65_536)}"}`, 413, "too-large"],
  ["an array", "[1,1]", 422, "invalid-group", ""],
  ["a number", "1", 422, "invalid-group", ""],
  ["null", "null", 422, "invalid-group", ""],
  ["true", "true", 422, "invalid-group", ""],
  ["2,000 levels of nesting", `${"[".repeat(2000)}${"]".repeat(2000)}`, 422, "invalid-group", ""],
  ["no member", "{}", 422, "invalid-group", "/group", "/user"],
  ["no group", '{"user":1}', 422, "invalid-group", "/group"],
  ["no user", '{"group":1}', 422, "invalid-group", "/user"],
  ["an unknown member", '{"group":1,"user":1,"role":"owner"}', 422, "invalid-group", "/role"],
  ["a member in another case", '{"Group":1,"user":1}', 422, "invalid-group", "/Group", "/group"],
  ["a member with a slash in its name", '{"group":1,"user":1,"a/b~c":1}', 422, "invalid-group", "/a~1b~0c"],
  ["a member named __proto__", '{"group":1,"user":1,"__proto__":{}}', 422, "invalid-group", "/__proto__"],
  ["null for a group", '{"group":null,"user":1}', 422, "invalid-group", "/group"],
  ["true for a user", '{"group":1,"user":true}', 422, "invalid-group", "/user"],
  ["an object for a group", '{"group":{"id":1},"user":1}', 422, "invalid-group", "/group"],
  ["an array for a user", '{"group":1,"user":[1]}', 422, "invalid-group", "/user"],
  ["0", '{"group":0,"user":1}', 422, "invalid-group", "/group"],
  ["a negative number", '{"group":1,"user":-1}', 422, "invalid-group", "/user"],
  ["a fraction", '{"group":1.5,"user":1}', 422, "invalid-group", "/group"],
  ["2^53", '{"group":1,"user":9007199254740992}', 422, "invalid-group", "/user"],
  ["1e400", '{"group":1e400,"user":1}', 422, "invalid-group", "/group"],
  ["empty texts", '{"group":"","user":""}', 422, "invalid-group", "/group", "/user"],
  ["a group of spaces", '{"group":"  ","user":1}', 422, "invalid-group", "/group"],
  [
    "texts of 257 characters",
    `{"group":"${LONG}","user":"${LONG}"}`,
    422,
    "invalid-group",
    "/group",
    "/user",
  ],
  ["U+0000 in a group", '{"group":"a\\u0000b","user":1}', 422, "invalid-group", "/group"],
  ["a line break in a user", '{"group":1,"user":"a\\nb"}', 422, "invalid-group", "/user"],
  ["half of a surrogate pair", '{"group":1,"user":"\\ud800"}', 422, "invalid-group", "/user"],
  ["the id of no group", `{"group":${MISSING_ID},"user":1}`, 404, "group-not-found"],
  ["the largest id, which no user has", '{"group":1,"user":9007199254740991}', 404, "user-not-found"],
  ["an id of a group as text", '{"group":"1","user":1}', 404, "group-not-found"],
  ["an id of a user as text", '{"group":1,"user":"1"}', 404, "user-not-found"],
  ["an unknown group and an unknown user", '{"group":"none","user":"nobody"}', 404, "group-not-found"],
  ["the name of a user that is not a user name", '{"group":1,"user":"Ada"}', 404, "user-not-found"],
];

/** Rows under the header `group,user`, and the result of each. Group 1 is `Crew`, and user 1 has the email `ada@example.com`. */
const rows: readonly (readonly [row: string, result: number | string])[] = [
  ["1,1", 201],
  [" 1 , 1 ", 200],
  ['"1","1"', 200],
  ["Crew,ADA@example.com", 200],
  ['" cREW ",1', 200],
  ["'2024,1", 201],
  ["''77,1", 201],
  ["'=SUM(A1),1", 201],
  ["'1,1", "404 group-not-found"],
  ["1,'1", "404 user-not-found"],
  ["007,1", "422 invalid-group /group"],
  ["1,0", "422 invalid-group /user"],
  ["99999999999999999999,1", "422 invalid-group /group"],
  ["-1,1", "404 group-not-found"],
  ["1.5,1", "404 group-not-found"],
  ["true,1", "404 group-not-found"],
  ['"{""a"":1}",1', "404 group-not-found"],
  [",1", "422 invalid-group /group"],
  ["1,", "422 invalid-group /user"],
  ["1", "422 invalid-group /user"],
  ["1,1,", 200],
  ["1,1,x", "422 invalid-group "],
  [`${LONG},1`, "422 invalid-group /group"],
];

/** Headers of CSV that are refused, with the pointers of the errors. */
const badHeaders: readonly (readonly [header: string, ...pointers: string[]])[] = [
  ["group", "/user"],
  ["user", "/group"],
  ["id,name", "/id", "/name", "/group", "/user"],
  ["group,user,role", "/role"],
  ["group,user,_more", "/_more"],
  ["group,user,user", "/user"],
  ["groups,user", "/groups", "/group"],
];

onEachEngine((engine) => {
  let service: TestService;
  let call: Call;
  let grown = 0;
  beforeAll(async () => {
    service = await startService({}, engine);
    call = service.call;
    await createUser({ email: "ada@example.com" }, "Ada");
    await createGroup("Crew");
  });
  afterAll(() => service.stop());
  const fresh: TestService[] = [];
  const startFresh = async (): Promise<TestService> => {
    const started = await startService({}, engine);
    fresh.push(started);
    return started;
  };
  afterAll(() => Promise.all(fresh.map((each) => each.stop())));

  const send = (method: string, path: string, json?: unknown) => readResponse(call(path, { method, json }));
  const parse = ({ status, text }: ReadResponse) => {
    if (status >= 300) throw new Error(text);
    return text === "" ? undefined : JSON.parse(text);
  };
  const createUser = async (fields: object = {}, name = "Member"): Promise<number> =>
    parse(await send("POST", "/api/users", { name, ...fields })).id;
  const createUsers = (count: number) => Promise.all(Array.from({ length: count }, () => createUser()));
  const newName = () => `Group ${++grown}`;
  const createGroup = async (name = newName()): Promise<number> =>
    parse(await send("POST", "/api/groups", { name })).id;
  const readGroup = async (id: number) => parse(await send("GET", `/api/groups/${id}`));
  const memberIds = async (id: number): Promise<number[]> =>
    parse(await send("GET", `/api/groups/${id}/members?limit=1000`)).map(({ id }: { id: number }) => id);
  const eventsOf = async (id: number) =>
    parse(await send("GET", `/api/events?subject=group:${id}&type=group.members_changed&limit=100`));

  interface Options {
    readonly query?: string;
    readonly type?: string;
    readonly headers?: Record<string, string>;
    readonly to?: Call;
  }
  const post = (
    body: string | ReadableStream<Uint8Array>,
    { query = "", type = NDJSON, headers = {}, to = call }: Options = {},
  ) =>
    to(`/api/memberships/import?${query}`, {
      method: "POST",
      body,
      headers: { "content-type": type, ...headers },
    });
  /** The results of the lines, each as a status or as a problem with its pointers. */
  const importText = async (body: string, options: Options = {}) => {
    const response = await readResponse(post(body, options));
    if (response.problem) return describeProblem(response).join(" ");
    return parseLines(response.text).map(({ line, status, problem }, index) => {
      expect(line).toBe(index + (options.type === CSV ? 2 : 1));
      if (!problem) return status;
      const pointers = problem.errors?.map(({ pointer }) => ` ${pointer}`) ?? [];
      return `${status} ${problem.type.replace("/problems/", "")}${[...new Set(pointers)].join("")}`;
    });
  };
  const importPairs = (pairs: readonly Pair[], options?: Options) => importText(toNdjson(pairs), options);
  const remove = { query: "remove=true" };

  const exportText = async (query = "", headers: Record<string, string> = {}, from = call) => {
    const response = await readResponse(from(`/api/memberships/export?${query}`, { headers }));
    if (response.problem) throw new Error(response.text);
    return response.text;
  };
  const exportPairs = async (query = "", from = call): Promise<Pair[]> =>
    (await exportText(query, {}, from))
      .split("\n")
      .slice(0, -1)
      .map((line) => {
        const { group, user, ...others } = JSON.parse(line);
        expect(others).toEqual({});
        return [group, user];
      });

  describe("POST /api/memberships/import", () => {
    test("adds users to groups by ids, names, user names and emails, in any case", async () => {
      const mark = `n${++grown}`;
      const [byId, byEmail, byUserName] = [
        await createUser(),
        await createUser({ email: `${mark}é@example.com` }),
        await createUser({ email: `${mark}-3@example.com`, userName: `${mark} Édsger` }),
      ];
      const id = await createGroup(`${mark} Ärzte`);
      const results = await importPairs([
        [id, byId],
        [` ${mark} äRZTE `, `${mark}É@EXAMPLE.com`],
        [`${mark} A\u0308rzte`, `${mark} éDSGER`],
        // Its email is not its user name, and no other user has it.
        [id, `${mark}-3@example.com`],
        [id, byId],
        [`${mark} Arzte`, byId],
      ]);
      expect(results).toEqual([201, 201, 201, 200, 200, "404 group-not-found"]);
      expect(await memberIds(id)).toEqual([byId, byEmail, byUserName]);
      expect(await readGroup(id)).toMatchObject({ memberCount: 3, version: 2 });
    });

    test("finds a user by its user name before another one by its email", async () => {
      const email = `both${++grown}@example.com`;
      const named = await createUser({ userName: email });
      const other = await createUser({ email, userName: `other${grown}` });
      const id = await createGroup();
      expect(await importPairs([[id, email]])).toEqual([201]);
      expect(await memberIds(id)).toEqual([named]);
      await service.roster.users.delete(named);
      expect(await importPairs([[id, email]])).toEqual([201]);
      expect(await memberIds(id)).toEqual([other]);
    });

    test("with remove=true, removes the memberships", async () => {
      const [a, b] = [await createUser(), await createUser({ email: `gone${++grown}@example.com` })];
      const [id, name] = [await createGroup(`Leaving ${grown}`), `Leaving ${grown}`];
      await importPairs([
        [id, a],
        [id, b],
      ]);
      const results = await importPairs(
        [
          [id, a],
          [name, `GONE${grown}@example.com`],
          [id, a],
          [id, MISSING_ID],
          ["no such group", a],
        ],
        remove,
      );
      expect(results).toEqual([200, 200, 200, "404 user-not-found", "404 group-not-found"]);
      expect(await readGroup(id)).toMatchObject({ memberCount: 0, version: 3 });
    });

    test("is one version and one event for each group and chunk", async () => {
      const chunk = bulkLimits.membershipChunkLines;
      const users = await createUsers(15);
      const [first, second] = [await createGroup(), await createGroup()];
      const pairs = Array.from(
        { length: chunk + 10 },
        (_, i): Pair => [i % 2 ? second : first, users[Math.floor(i / 2) % users.length]],
      );
      const results = await importPairs([
        ...pairs.slice(0, 20),
        ...pairs.slice(0, chunk - 20),
        ...pairs.slice(20),
      ]);
      expect(results).toHaveLength(chunk + chunk + 10 - 20);
      expect(await readGroup(first)).toMatchObject({ memberCount: 15, version: 2 });
      expect(await eventsOf(second)).toMatchObject([
        { version: 2, changes: { members: { added: users, removed: [] } } },
      ]);
      const left = [...users, ...Array(chunk).fill(users[0])].map((user): Pair => [first, user]).toReversed();
      await importPairs(left, remove);
      // The first chunk has only the first user, and the others are in the second one.
      expect(await readGroup(first)).toMatchObject({ memberCount: 0, version: 4 });
      expect((await eventsOf(first)).at(-1).changes.members.removed).toHaveLength(14);
    });

    test("changes many groups at once", async () => {
      const user = await createUser();
      const groups = await Promise.all(Array.from({ length: 60 }, () => createGroup()));
      expect(await importPairs(groups.map((id) => [id, user]))).toEqual(groups.map(() => 201));
      const found = parse(await send("GET", `/api/users/${user}/groups?limit=100`));
      expect(found).toHaveLength(60);
    });

    test.each(badLines)("refuses a line that is, or has, %s", async (_, line, status, type, ...pointers) => {
      const expected = `${status} ${type}${pointers.map((pointer) => ` ${pointer}`).join("")}`;
      for (const options of [{}, { query: "dryRun=true" }, remove])
        expect(await importText(`${line}\n`, options)).toEqual([expected]);
    });

    test("a bad line does not affect the others, and its problem names what was not found", async () => {
      const [user, id] = [await createUser(), await createGroup()];
      const response = await readResponse(
        post(
          `${toNdjson([[id, user]])}{\n\n${toNdjson([["Nowhere", user]])}${toNdjson([[id, "nobody@example.com"]])}`,
        ),
      );
      expect(parseLines(response.text).map(({ line, problem }) => [line, problem?.detail])).toEqual([
        [1, undefined],
        [2, "The line is not one complete JSON document."],
        [4, 'No group has the name "Nowhere".'],
        [5, 'No user has the user name or the email "nobody@example.com".'],
      ]);
      expect(await memberIds(id)).toEqual([user]);
    });

    test("a deleted user and a deleted group are not found", async () => {
      const email = `deleted${++grown}@example.com`;
      const [user, kept] = [await createUser({ email }), await createUser()];
      const [id, name] = [await createGroup(`Deleted ${grown}`), `Deleted ${grown}`];
      await importPairs([[id, user]]);
      await service.roster.users.delete(user);
      for (const options of [{}, remove]) {
        const results = await importPairs(
          [
            [id, user],
            [id, email],
          ],
          options,
        );
        expect(results).toEqual(["404 user-not-found", "404 user-not-found"]);
      }
      await send("DELETE", `/api/groups/${id}`);
      const gone = await importPairs([
        [id, kept],
        [name, kept],
      ]);
      expect(gone).toEqual(["404 group-not-found", "404 group-not-found"]);
    });

    test("reads CSV: only digits are an id, everything else is text", async () => {
      for (const name of ["2024", "'77", "=SUM(A1)"]) await createGroup(name);
      const table = `group,user\r\n${rows.map(([row]) => `${row}\r\n`).join("")}`;
      expect(await importText(table, { type: CSV })).toEqual(rows.map(([, result]) => result));
      await importPairs([[1, 1]], remove);
    });

    test.each([
      ["USER,Group\n@,#\n"],
      ["user;group\n@;#\n"],
      [" User \t GROUP \t\t\n@\t#\t\t\n"],
      ['\ufeff"group","user"\r\n#,@'],
    ])("reads the columns of CSV in any order and case: %j", async (template) => {
      const [user, id] = [await createUser(), await createGroup()];
      const body = template.replace("@", String(user)).replace("#", String(id));
      const options = { type: "application/octet-stream", query: "format=csv" };
      const { text } = await readResponse(post(body, options));
      expect(parseLines(text)).toEqual([{ line: 2, status: 201 }]);
      expect(await memberIds(id)).toEqual([user]);
    });

    test.each(badHeaders)("422 invalid-group: CSV with the header %s", async (header, ...pointers) => {
      const response = await readResponse(post(`${header}\n1,1\n`, { type: CSV }));
      expect(describeProblem(response)).toEqual([422, "invalid-group", pointers]);
    });

    test.each([
      ["400 malformed-json", CSV, "", {}],
      ["415 unsupported-media-type", "application/json", '{"group":1,"user":1}', {}],
      ["400 invalid-header", NDJSON, "", { "idempotency-key": "é" }],
      ["406 not-acceptable", NDJSON, "", { accept: "text/html" }],
    ])("%s: %s with the body %j and the headers %j", async (expected, type, body, headers) => {
      expect(await importText(body, { type, headers })).toBe(expected);
    });

    test("an empty body has no results", async () => {
      expect(await importText("")).toEqual([]);
      expect(await importText("group,user\n", { type: CSV })).toEqual([]);
    });

    test("a dry run has the results of the import, and changes nothing", async () => {
      const [a, b, id] = [await createUser(), await createUser(), await createGroup()];
      await importPairs([[id, a]]);
      const before = await readGroup(id);
      const pairs: Pair[] = [
        [id, a],
        [id, b],
        [before.name, b],
        [id, MISSING_ID],
      ];
      const headers = { "idempotency-key": `dry ${id}` };
      const added = await importPairs(pairs, { query: "dryRun=true", headers });
      const removed = await importPairs(pairs, { query: "dryRun=true&remove=true", headers });
      expect(added).toEqual([200, 201, 200, "404 user-not-found"]);
      expect(removed).toEqual([200, 200, 200, "404 user-not-found"]);
      expect([await readGroup(id), await memberIds(id)]).toEqual([before, [a]]);
      expect(await importPairs(pairs, { headers })).toEqual(added);
      expect(await memberIds(id)).toEqual([a, b]);
    });

    test("a dry run of any file has the results of its import", async () => {
      const names = [`Dry ${++grown}`, `dry ${grown} 2`];
      const groups = [await createGroup(names[0]), await createGroup(names[1])];
      const users = [
        await createUser({ email: `dry${grown}@example.com` }),
        await createUser({ userName: `Dry${grown}`, email: `dry${grown}b@example.com` }),
        await createUser(),
      ];
      const group = fc.constantFrom(
        ...groups,
        ...names,
        names[0]?.toUpperCase(),
        MISSING_ID,
        "None",
        null,
        -1,
      );
      const user = fc.constantFrom(
        ...[...users, `DRY${grown}`, `dry${grown}@example.com`, `dry${grown}B@example.com`],
        ...[MISSING_ID, "nobody", undefined, 1.5],
      );
      const file = fc.record({
        pairs: fc.array(fc.tuple(group, user), { maxLength: 30 }),
        repeats: fc.constantFrom(1, 1, 1, 40),
        removes: fc.boolean(),
      });
      const compare = async ({
        pairs,
        repeats,
        removes,
      }: {
        pairs: Pair[];
        repeats: number;
        removes: boolean;
      }) => {
        const lines = Array.from({ length: repeats }, () => pairs).flat();
        const expected = await importPairs(lines, { query: `dryRun=true&remove=${removes}` });
        expect(await importPairs(lines, { query: `remove=${removes}` })).toEqual(expected);
      };
      await fc.assert(fc.asyncProperty(file, compare), { numRuns: 25 });
    });
  });

  describe("An Idempotency-Key of an import of memberships", () => {
    test("gives a repeated import the same results, whatever has changed since", async () => {
      const email = `again${++grown}@example.com`;
      const [a, b, id] = [await createUser(), await createUser(), await createGroup()];
      const headers = { "idempotency-key": `again ${id}` };
      const body = `${toNdjson([
        [id, a],
        [id, a],
        [id, email],
        ["None of these", b],
      ])}{\n{"group":1}\n${"x".repeat(66_000)}\n`;
      const results = async (options: Options = { headers }) =>
        parseLines(await (await post(body, options)).text()).map(({ problem, ...line }) => ({
          ...line,
          problem: problem && { ...problem, requestId: "" },
        }));
      const first = await results();
      expect(first.map(({ status }) => status)).toEqual([201, 200, 404, 404, 400, 422, 413]);
      await createUser({ email });
      await importPairs([[id, a]], remove);
      expect(await results()).toEqual(first);
      expect(await memberIds(id)).toEqual([]);
      expect((await results({})).map(({ status }) => status)).toEqual([201, 200, 201, 404, 400, 422, 413]);
    });

    test("422 idempotency-mismatch: another file, or to remove what was added, or to import users", async () => {
      const [user, id] = [await createUser(), await createGroup()];
      const headers = { "idempotency-key": `mismatch ${id}` };
      expect(await importPairs([[id, user]], { headers })).toEqual([201]);
      expect(await importPairs([[id, user]], { headers, ...remove })).toBe("422 idempotency-mismatch");
      expect(await importPairs([[id, 1]], { headers })).toBe("422 idempotency-mismatch");
      const users = await readResponse(
        call("/api/users/import", {
          method: "POST",
          body: toNdjson([[id, user]]),
          headers: { "content-type": NDJSON, ...headers },
        }),
      );
      expect(describeProblem(users)).toEqual([422, "idempotency-mismatch"]);
      expect(await memberIds(id)).toEqual([user]);
    });

    test("409 idempotency-in-flight: an import with the same key is running", async () => {
      const [user, id] = [await createUser(), await createGroup()];
      const headers = { "idempotency-key": `running ${id}` };
      let finish = () => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(toNdjson([[id, user]])));
          finish = () => controller.close();
        },
      });
      const running = post(body, { headers });
      // Another key than that of the file: this import is never made.
      const other = { ...headers, "content-type": NDJSON };
      await until(async () => {
        const response = await readResponse(post("{}\n", { headers: other }));
        return describeProblem(response).join(" ") === "409 idempotency-in-flight";
      });
      finish();
      const { text } = await readResponse(running);
      expect(parseLines(text).map(({ status }) => status)).toEqual([201]);
    });
  });

  describe("GET /api/memberships/export", () => {
    test("has the memberships in the order of groups and users, by ids or by names", async () => {
      const mark = `x${++grown}`;
      const users = [
        await createUser(),
        await createUser({ email: `${mark}@example.com` }),
        await createUser({ email: `${mark}-2@example.com`, userName: `${mark} "Édsger"` }),
      ];
      const [second, first, empty] = [
        await createGroup(`${mark}, B`),
        await createGroup(`${mark} A`),
        await createGroup(),
      ];
      await importPairs([first, second].flatMap((id) => users.toReversed().map((user): Pair => [id, user])));
      const query = `group=${first}&group=${empty}&group=${second}&group=${first}&group=${MISSING_ID}`;
      expect(await exportPairs(query)).toEqual(
        [second, first].flatMap((id) => users.map((user): Pair => [id, user])),
      );
      expect(await exportPairs(`group=${empty}`)).toEqual([]);
      expect(await exportPairs(`group=${MISSING_ID}`)).toEqual([]);
      const names = [users[0], `${mark}@example.com`, `${mark} "Édsger"`];
      expect(await exportPairs(`group=${first}&names=true`)).toEqual(
        names.map((name) => [`${mark} A`, name]),
      );
      expect(await exportText(`group=${second}&names=true&format=csv`)).toBe(
        `group,user\r\n"${mark}, B",${users[0]}\r\n"${mark}, B",${mark}@example.com\r\n"${mark}, B","${mark} ""Édsger"""\r\n`,
      );
      expect(await exportText(`group=${second}`, { accept: CSV })).toBe(
        `group,user\r\n${users.map((user) => `${second},${user}\r\n`).join("")}`,
      );
    });

    test("has its file name, and an event that is not newer", async () => {
      for (const [query, name, type] of [
        ["", "memberships.ndjson", NDJSON],
        ["format=csv", "memberships.csv", CSV],
      ] as const) {
        for (const method of ["GET", "HEAD"]) {
          const { headers } = await readResponse(call(`/api/memberships/export?${query}`, { method }));
          expect(headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
          expect(headers.get("content-type")).toStartWith(type);
          expect(headers.get("roster-event")).toMatch(/^[0-9a-z]+$/);
        }
      }
    });

    test("leaves out deleted users and removed groups", async () => {
      const [a, b] = [await createUser(), await createUser()];
      const [kept, removed] = [await createGroup(), await createGroup()];
      await importPairs([
        [kept, a],
        [kept, b],
        [removed, a],
      ]);
      await service.roster.users.delete(b);
      await send("DELETE", `/api/groups/${removed}`);
      for (const names of [false, true])
        expect(await exportPairs(`group=${kept}&group=${removed}&names=${names}`)).toHaveLength(1);
      expect((await exportPairs()).filter(([group]) => group === removed || group === kept)).toEqual([
        [kept, a],
      ]);
    });

    test.each([
      ["a group that is not an id", "group=Crew", "group"],
      ["101 groups", `${"group=1&".repeat(101)}`, "group"],
      ["names that are neither true nor false", "names=1", "names"],
      ["an unknown parameter", "user=1", "user"],
    ])("400 invalid-query: %s", async (_, query, parameter) => {
      const response = await readResponse(call(`/api/memberships/export?${query}`));
      expect(describeProblem(response)).toEqual([400, "invalid-query", [parameter]]);
    });
  });

  test("an import of an export changes nothing, and one into another service restores the members", async () => {
    const names = ["Plain", "2024", "'77", "-5", " =1", "a;=b", '"quoted", with comma', "007", "Ärzte"];
    const records = [
      ...names.map((name, i) => ({ name, userName: `${name}${i % 2 ? " u" : ""}` })),
      { name: "By email", email: "by-email@example.com" },
    ];
    const create = async (to: Call) => {
      for (const record of records) await to("/api/users", { method: "POST", json: record });
      for (const name of names) await to("/api/groups", { method: "POST", json: { name } });
    };
    const source = await startFresh();
    await create(source.call);
    const all = names.flatMap((_, g) =>
      records.flatMap((_, u): Pair[] => ((g * u) % 3 ? [] : [[g + 1, u + 1]])),
    );
    const many = Array.from({ length: 1200 }, (_, i) => ({
      name: `Many ${i}`,
      email: `many${i}@example.com`,
    }));
    await importUsers(source.call, many);
    const large = many.map((_, i): Pair => [1, records.length + 1 + i]);
    const results = await importPairs([...all, ...large], { to: source.call });
    expect(new Set(results)).toEqual(new Set([201]));
    const exported = await exportPairs("", source.call);
    expect(exported).toHaveLength(all.length + large.length);
    for (const type of [NDJSON, CSV]) {
      const accept = { accept: type };
      for (const query of ["", "names=true"]) {
        const text = await exportText(query, accept, source.call);
        const again = await importText(text, { type, to: source.call });
        expect([type, query, new Set(again)]).toEqual([type, query, new Set([200])]);
      }
      const target = await startFresh();
      await create(target.call);
      await importUsers(target.call, many);
      const text = await exportText("names=true", accept, source.call);
      expect(new Set(await importText(text, { type, to: target.call }))).toEqual(new Set([201]));
      expect(await exportPairs("", target.call)).toEqual(exported);
    }
  }, 120_000);

  const importUsers = async (to: Call, users: readonly object[]) => {
    const body = users.map((user) => `${JSON.stringify(user)}\n`).join("");
    await (
      await to("/api/users/import", { method: "POST", body, headers: { "content-type": NDJSON } })
    ).text();
  };

  describe("Scopes and limits", () => {
    const admin = new KeyAdmin(engine);
    const withKey = async (scopes: readonly Scope[], more: object = {}): Promise<Call> => {
      const { key } = await admin.createKey({ name: "limited", scopes, ...more });
      return (path, { headers, ...request } = {}) =>
        admin.call(path, { ...request, headers: { ...headers, ...bearer(key) } });
    };
    const needed = ["groups:write", "users:read"] as const;

    test.each([...needed])(
      "403 insufficient-scope: an import without %s, also as a dry run",
      async (missing) => {
        const to = await withKey([...needed.filter((scope) => scope !== missing), "users:write"]);
        for (const query of ["", "dryRun=true", "remove=true"])
          expect(await importPairs([[1, 1]], { query, to })).toBe("403 insufficient-scope");
      },
    );

    test("403 insufficient-scope: a dry run without groups:read, which tells who is a member", async () => {
      const to = await withKey(needed);
      expect(await importPairs([[1, 1]], { query: "dryRun=true", to })).toBe("403 insufficient-scope");
      expect(await importPairs([[1e9, 1]], { to })).toEqual(["404 group-not-found"]);
    });

    test.each(["groups:read", "users:read"] as const)(
      "403 insufficient-scope: an export without %s",
      async (missing) => {
        const scopes = (["groups:read", "users:read", "groups:write", "users:write"] as const).filter(
          (scope) => scope !== missing,
        );
        const from = await withKey(scopes);
        const response = await readResponse(from("/api/memberships/export"));
        expect(describeProblem(response)).toEqual([403, "insufficient-scope"]);
      },
    );

    test("each 500 lines count as one request, and each 1,000 exported memberships", async () => {
      const limited = await withKey([...needed], { quota: 1000 });
      const remaining = async () => {
        const { headers } = await limited("/api/users/1");
        return Number(/"quota";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
      };
      const before = await remaining();
      expect(await importText("{}\n".repeat(1001), { to: limited })).toHaveLength(1001);
      // Three for the import, and one to read the header.
      expect(await remaining()).toBe(before - 4);
    });

    test("what an import writes of large groups counts, however short the lines are", async () => {
      const [limited, all] = [
        await withKey([...needed], { quota: 1000 }),
        await withKey([...needed, "users:write"]),
      ];
      const remaining = async () => {
        const { headers } = await limited("/api/users/1");
        return Number(/"quota";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
      };
      const create = async (path: string, json: object): Promise<number> =>
        (await (await all(path, { method: "POST", json })).json()).id;
      const user = await create("/api/users", { name: "Member" });
      const groups: number[] = [];
      for (let i = 0; i < 20; i++)
        groups.push(await create("/api/groups", { name: `Large ${i}`, text: "x".repeat(16_000) }));
      const pairs = groups.map((id): Pair => [id, user]);
      const before = await remaining();
      expect(await importPairs(pairs, { to: limited })).toEqual(groups.map(() => 201));
      // 20 groups of 16,000 bytes are 2.5 times 128 KiB.
      expect(await remaining()).toBe(before - 4);
      expect(await importPairs(pairs, { to: limited })).toEqual(groups.map(() => 200));
      expect(await remaining()).toBe(before - 6);
    });
  });
});
