import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { urns } from "../../../src/scim/attributes.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { patchOf, type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

const OPERATIONS = 1000;
/** What makes a body so long that it is not parsed at once. */
const note = "x".repeat(10_000);

onAnyEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  let users: string[] = [];
  let group = "";
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
    const people = Array.from({ length: OPERATIONS * 3 }, (_, index) => ({ name: `User ${index}` }));
    users = (await service.importUsers(people)).map(String);
    group = await scim.create("/Groups", { displayName: "Long" });
  });
  afterAll(() => service.stop());

  const readMembers = async (): Promise<string[]> => {
    const { members } = (await scim.expect(`GET /Groups/${group}`)).body;
    return (Array.isArray(members) ? members : []).map((member) => Object(member).value);
  };
  const replaceWith = async (body: string) => {
    expect(await scim.outcome(`PUT /Groups/${group}`, `{"displayName":"Long",${body}}`)).toBe("200");
    return readMembers();
  };
  const patch = (...operations: object[]) => scim.outcome(`PATCH /Groups/${group}`, patchOf(...operations));
  const toMembers = (ids: readonly string[]) => ids.map((value) => ({ value, display: "A name" }));
  /** Members that are written in a certain way, behind others. */
  const after = (others: readonly string[], member: string) =>
    [...others.map((id) => `"${id}"`), member].join();

  describe("A long body of a group", () => {
    test("has members in any spelling", async () => {
      const [last = "", ...others] = users;
      const escaped = `{ "v\\u0061LUE" : "\\u003${last}" , "TYPE" : "\\u0055SER", "x": [{}, {"value":1}] }`;
      expect(last).toBe("1");
      expect(
        await replaceWith(
          `"urn:ietf:params:scim:schemas:core:2.0:group:MEMBERS":[${after(others, escaped)}]`,
        ),
      ).toEqual(users);
    });

    test("has the members of the last list, if there are several", async () => {
      const [first = "", second = ""] = users;
      const long = `"members":[${after(users, `"${first}"`)}]`;
      expect(await replaceWith(`${long},"members":["${second}"]`)).toEqual([second]);
      expect(await replaceWith(`"members":["${second}"],${long}`)).toEqual(users);
      expect(await replaceWith(`${long},"members":"${first}"`)).toEqual([first]);
    });

    test.each([
      ["a group", '{"value":"g1"}', "400 invalidValue"],
      ["an entry of the type Group", '{"value":"1","type":"Group"}', "400 invalidValue"],
      ["a number", "1", "400 invalidValue"],
      ["no JSON", '{"value":"1"', "400 invalidSyntax"],
      ["no JSON beside the id", '{"value":"1","display":tru}', "400 invalidSyntax"],
      ["an entry that is larger than a user", `{"value":"1","display":"${"x".repeat(70_000)}"}`, "413"],
    ])("changes nothing if %s is among the members", async (_, member, outcome) => {
      const before = await readMembers();
      const body = `{"displayName":"Long","members":[${after(users.slice(1), member)}]}`;
      expect(await scim.outcome(`PUT /Groups/${group}`, body)).toBe(outcome);
      expect(await readMembers()).toEqual(before);
    });
  });

  describe("A long PATCH of a group", () => {
    test("can have 1,000 operations with lists of members", async () => {
      await replaceWith('"members":[]');
      const each = Array.from({ length: OPERATIONS }, (_, index) => ({
        op: "add",
        path: "members",
        value: toMembers(users.slice(3 * index, 3 * index + 3)),
      }));
      expect(await patch(...each)).toBe("204");
      expect(await readMembers()).toEqual(users);
    });

    test("removes members, and skips what cannot be one", async () => {
      await replaceWith(`"members":[${after(users, '"1"')}]`);
      const [first = "", second = "", ...others] = users;
      const value = [{ value: first, type: "Group", note }, { value: "g7" }, "ada", ...toMembers(others)];
      expect(await patch({ op: "remove", path: "members", value })).toBe("204");
      expect(await readMembers()).toEqual([second]);
    });

    test("can have lists of other attributes, which stay as they are", async () => {
      const owners = toMembers(users.slice(0, 100));
      const path = `${urns.rosterGroup}:owners`;
      const [first = "", second = ""] = users;
      const operations = [
        { op: "add", value: owners, path },
        { value: [{ value: first, note }], path: "MEMBERS", op: "replace" },
        {
          op: "add",
          value: { members: [{ value: second, note }], "urn:example:Other": { members: owners } },
        },
        { op: "add", path: "urn:example:Another", value: { members: owners } },
      ];
      expect(await patch(...operations)).toBe("204");
      const { body } = await scim.expect(`GET /Groups/${group}`);
      expect(body).toMatchObject({
        [urns.rosterGroup]: { owners },
        "urn:example:Other": { members: owners },
        "urn:example:Another": { members: owners },
        members: [{ value: first }, { value: second }],
      });
      const tooLarge = { op: "add", path, value: Array(10).fill("x".repeat(7000)) };
      expect(await patch(tooLarge)).toBe("413");
    });

    test.each([
      ["10,001 members", { op: "add", path: "members", value: Array(10_001).fill("1") }, "413"],
      ["a number", { op: "add", path: "members", value: [note, 1] }, "400 invalidValue"],
      ["a number to remove", { op: "remove", path: "members", value: [note, 1] }, "400 invalidValue"],
      [
        "a group",
        { op: "add", path: "members", value: [{ value: "1", note }, { value: "g1" }] },
        "400 invalidValue",
      ],
    ])("changes nothing if it has %s", async (_, operation, outcome) => {
      const before = await readMembers();
      expect(await patch({ op: "add", path: "members", value: ["3"] }, operation)).toBe(outcome);
      expect(await readMembers()).toEqual(before);
    });
  });
});
