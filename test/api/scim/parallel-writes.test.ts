import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { patchOf, type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(120_000);

const WRITES = 100;
const CUSTOM = "urn:ietf:params:scim:schemas:extension:roster:2.0:User";

interface ReadEvent {
  readonly version: number;
  readonly type: string;
}

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
  });
  afterAll(() => service.stop());

  const each = <Result>(run: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: WRITES }, (_, index) => run(index)));
  /** The versions that the events of a subject are about, all of them, in order. */
  const readVersions = async (subject: string): Promise<number[]> => {
    const headers = { accept: "application/x-ndjson" };
    const response = await service.api(`/api/events?subject=${subject}&limit=100`, { headers });
    const lines = (await response.text()).trim().split("\n");
    return lines.map((line): ReadEvent => JSON.parse(line)).map(({ version }) => version);
  };
  const upTo = (version: number) => Array.from({ length: version }, (_, index) => index + 1);

  test("a hundred parallel patches of one user lose no change, and have an event each", async () => {
    const id = await scim.create("/Users", { userName: "busy", title: "0" });
    const outcomes = await each((index) => {
      const operation = { op: "add", path: `${CUSTOM}:field${index}`, value: String(index) };
      return scim.outcome(`PATCH /Users/${id}`, patchOf(operation));
    });
    expect(outcomes).toEqual(Array(WRITES).fill("200"));
    const user = await (await service.api(`/api/users/${id}`)).json();
    expect(user.version).toBe(WRITES + 1);
    for (let index = 0; index < WRITES; index++) expect(user[`field${index}`]).toBe(String(index));
    expect(await readVersions(`user:${id}`)).toEqual(upTo(WRITES + 1));
  });

  test("patches of one user by SCIM and by the API lose no change", async () => {
    const id = await scim.create("/Users", { userName: "shared" });
    await each(async (index) => {
      const email = { op: "add", path: "emails", value: [{ value: `${index}@example.com` }] };
      if (index % 2 === 0) await scim.expect(`PATCH /Users/${id}`, patchOf(email));
      else await service.api(`/api/users/${id}`, { method: "PATCH", json: { [`field${index}`]: index } });
    });
    const { body } = await scim.expect(`GET /Users/${id}`);
    expect(body.emails).toHaveLength(WRITES / 2);
    expect(Object.keys(Object(body[CUSTOM]))).toHaveLength(WRITES / 2);
    expect(await readVersions(`user:${id}`)).toEqual(upTo(WRITES + 1));
  });

  test("a hundred parallel patches of one group lose no member and no change of its record", async () => {
    const people = Array.from({ length: WRITES }, (_, index) => ({ name: `Member ${index}` }));
    const users = (await service.importUsers(people)).map(String);
    const gone = users.slice(0, 10);
    const id = await scim.create("/Groups", { displayName: "Busy", members: gone });
    const outcomes = await each((index) => {
      const custom = `urn:ietf:params:scim:schemas:extension:roster:2.0:Group:field${index}`;
      const operations =
        index < gone.length
          ? [{ op: "remove", path: `members[value eq "${gone[index]}"]` }]
          : [{ op: "add", path: "members", value: [{ value: users[index] }] }];
      return scim.outcome(
        `PATCH /Groups/${id}`,
        patchOf(...operations, ...(index % 2 ? [{ op: "add", path: custom, value: index }] : [])),
      );
    });
    expect(outcomes).toEqual(Array(WRITES).fill("204"));
    const { body } = await scim.expect(`GET /Groups/${id}`);
    const values = (Array.isArray(body.members) ? body.members : []).map((member) => Object(member).value);
    expect(values).toEqual(users.slice(gone.length));
    const record = await (await service.api(`/api/groups/${id.slice(1)}`)).json();
    for (let index = 1; index < WRITES; index += 2) expect(record[`field${index}`]).toBe(index);
    // Each patch has changed the members, every other one the record too: two versions, and two events.
    expect(record.version).toBe(2 + WRITES * 1.5);
    expect(await readVersions(`group:${id.slice(1)}`)).toEqual(upTo(record.version));
  });

  test("of a hundred parallel creates with one user name, one succeeds", async () => {
    const outcomes = await each(() =>
      scim.outcome("POST /Users", { userName: "Only-One", emails: [{ value: "only@example.com" }] }),
    );
    expect(outcomes.sort()).toEqual(["201", ...Array(WRITES - 1).fill("409 uniqueness")]);
  });

  test("of a hundred parallel users with one mailbox, one has the email, and all are created", async () => {
    const emails = [{ value: "mailbox@example.com" }];
    const created = await each((index) =>
      scim.expect("POST /Users", { userName: `mailbox-${index}`, emails }),
    );
    for (const { body } of created) expect(body.emails).toEqual(emails);
    const found = await (await service.api("/api/users?email=mailbox@example.com")).json();
    expect(found).toHaveLength(1);
  });

  test("of a hundred parallel writes with If-Match, one succeeds", async () => {
    const id = await scim.create("/Users", { userName: "matched" });
    const outcomes = await each((index) =>
      scim.outcome(`PATCH /Users/${id}`, patchOf({ op: "add", path: "title", value: String(index) }), {
        "if-match": 'W/"1"',
      }),
    );
    expect(outcomes.sort()).toEqual(["200", ...Array(WRITES - 1).fill("412")]);
  });
});
