import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { isObject, type JsonObject } from "../../../src/contract/json.ts";
import { enterpriseSchema, groupKind, type ResourceKind, userKind } from "../../../src/scim/attributes.ts";
import { arbitraryGroup, arbitraryUser } from "../../scim/support/arbitrary-records.ts";
import { arbitraryResource } from "../../scim/support/arbitrary-resources.ts";
import { onEachEngine } from "../../support/engines.ts";
import { amountOf } from "./support/amount.ts";
import { expectedDocument } from "./support/expected-document.ts";
import { replaceByItself } from "./support/own-values.ts";
import { arbitrarySpelling, respell } from "./support/respell.ts";
import {
  patchOf,
  type ScimAnswer,
  type ScimCaller,
  type ScimService,
  startScimService,
} from "./support/scim-caller.ts";

setDefaultTimeout(600_000);

const amount = amountOf(15);
/** Less than a record may have. */
const MAX_CHARACTERS = 12_000;

const fits = (resource: JsonObject) => JSON.stringify(resource).length < MAX_CHARACTERS;
const sentGroup = arbitraryResource(groupKind)
  .map(({ members: _, ...group }) => group)
  .filter(fits);

/** What is special about users: names that are stored otherwise, managers of two services, fields that do not fit their attributes. */
const special = fc.record(
  {
    displayName: fc.constantFrom("Ada", "  Ada King ", "", "x".repeat(256)),
    manager: fc.constantFrom(
      { value: "7" },
      { value: "7", $ref: "../Users/7" },
      { value: "7", $ref: "https://idp.example/people/7" },
    ),
    misfits: fc.constantFrom({ title: 5 }, { roles: "admin", password: "secret" }),
  },
  { requiredKeys: [] },
);
const sentUser = fc
  .tuple(arbitraryResource(userKind), special)
  .map(([{ displayName: _, ...resource }, { displayName, manager, misfits }]): JsonObject => {
    const extended = (urn: string, more: JsonObject | undefined) =>
      more && { [urn]: { ...(isObject(resource[urn]) && resource[urn]), ...more } };
    return {
      ...resource,
      ...(displayName !== undefined && { displayName }),
      ...extended(enterpriseSchema.id, manager && { manager }),
      ...extended(userKind.customUrn, misfits),
    };
  })
  .filter(fits);

/** What a client sees of a resource, and what the API shows. */
interface Seen {
  readonly body: JsonObject;
  readonly etag: string | null;
  readonly record: JsonObject;
}

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  let users: string[];
  let gone: string;
  let created = 0;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
    const people = Array.from({ length: 6 }, (_, index) => ({ name: `Member ${index}` }));
    users = (await service.importUsers(people)).map(String);
    gone = users.pop() ?? "";
    await service.api(`/api/users/${gone}`, { method: "DELETE" });
  });
  afterAll(() => service.stop());

  const apiPath = (path: string) => `/api/${path.toLowerCase().replace("/g", "/")}`;
  const seenAs = async (path: string, { body, headers }: ScimAnswer): Promise<Seen> => ({
    body,
    etag: headers.get("etag"),
    record: await (await service.api(apiPath(path))).json(),
  });
  const see = async (path: string) => seenAs(path, await scim.expect(`GET /${path}`));
  /** The types of the events of a resource. */
  const history = async (path: string): Promise<string[]> => {
    const [type = "", id] = apiPath(path).slice("/api/".length).split("/");
    const subject = `${type.slice(0, -1)}:${id}`;
    const headers = { accept: "application/x-ndjson" };
    const response = await service.api(`/api/events?subject=${subject}&limit=100`, { headers });
    const lines = (await response.text()).trim().split("\n");
    return lines.map((line): string => JSON.parse(line).type);
  };

  /** Neither GET, nor PUT of what it returns, nor PATCH of each attribute with its own value changes anything. */
  async function expectStable(kind: ResourceKind, path: string, first: Seen): Promise<void> {
    expect(await see(path)).toEqual(first);
    expect(await seenAs(path, await scim.expect(`PUT /${path}`, first.body))).toEqual(first);
    expect(await see(path)).toEqual(first);
    const patch = patchOf(...replaceByItself(kind, first.body));
    const attributes = Object.keys(first.body).join();
    const patched = await scim.expect(`PATCH /${path}?attributes=${attributes}`, patch);
    expect(await seenAs(path, patched)).toEqual(first);
    expect(await see(path)).toEqual(first);
  }

  describe("what a client creates comes back, and stays while it is written again", () => {
    test("as a user", () =>
      fc.assert(
        fc.asyncProperty(sentUser, arbitrarySpelling, async (resource, spelling) => {
          const named = { ...resource, userName: `Client-${created++}` };
          const sent = respell(userKind, named, spelling);
          const answer = await scim.send("POST /Users", sent);
          expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
          const { schemas, id, meta, ...shown } = answer.body;
          expect(shown).toEqual(expectedDocument(userKind, named, service.url));
          const urns = Object.keys(shown).filter((name) => name.startsWith("urn:"));
          expect(new Set([schemas].flat())).toEqual(new Set([userKind.core.id, ...urns]));
          const path = `Users/${id}`;
          const first = await seenAs(path, answer);
          expect(first.etag).toBe('W/"1"');
          await expectStable(userKind, path, first);
          expect(await seenAs(path, await scim.expect(`PUT /${path}`, sent))).toEqual(first);
          expect(await history(path)).toEqual(["user.created"]);
        }),
        amount,
      ));

    test("as a group with members", () => {
      const members = fc.array(fc.record({ user: fc.nat(5), form: fc.nat(3) }), { maxLength: 7 });
      return fc.assert(
        fc.asyncProperty(sentGroup, arbitrarySpelling, members, async (resource, spelling, list) => {
          const named = { ...resource, displayName: ` Group ${created++}` };
          const ids = list.map(({ user }) => users[user] ?? gone);
          const listed = list.map(({ form }, index) => memberAs(ids[index] ?? gone, form));
          const sent = { ...respell(groupKind, named, spelling), members: listed };
          const answer = await scim.send("POST /Groups", sent);
          expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
          const { schemas, id, meta, members: shownMembers, ...shown } = answer.body;
          expect(shown).toEqual(expectedDocument(groupKind, named, service.url));
          expect(shownMembers).toEqual(
            users
              .filter((user) => ids.includes(user))
              .map((value) => ({ value, $ref: `${service.url}/scim/v2/Users/${value}`, type: "User" })),
          );
          const path = `Groups/${id}`;
          const first = await seenAs(path, answer);
          const version = Object(shownMembers).length > 0 ? 2 : 1;
          expect(first.etag).toBe(`W/"${version}"`);
          await expectStable(groupKind, path, first);
          expect(await seenAs(path, await scim.expect(`PUT /${path}`, sent))).toEqual(first);
          expect(await history(path)).toEqual(["group.created", "group.members_changed"].slice(0, version));
        }),
        amount,
      );
    });
  });

  describe("what a program creates through the API stays while SCIM writes what it shows", () => {
    test("as a user, apart from the user name that it gets", () =>
      fc.assert(
        fc.asyncProperty(arbitraryUser, async (record) => {
          const mark = created++;
          const { userName, email } = record;
          const own = {
            ...record,
            ...(userName !== undefined && { userName: `program-${mark}` }),
            ...(typeof email === "string" && { email: `${mark}.${email}` }),
          };
          const answer = await service.api("/api/users", { method: "POST", json: own });
          const { id, ...before }: JsonObject = await answer.json();
          expect(answer.status).toBe(201);
          const path = `Users/${id}`;
          const shown = await see(path);
          const first = await seenAs(path, await scim.expect(`PUT /${path}`, shown.body));
          const getsName = before.userName === undefined && before.email !== undefined;
          if (getsName) {
            const { updatedAt } = first.record;
            expect(first.record).toEqual({
              id,
              ...before,
              userName: before.email,
              version: 2,
              updatedAt,
            } as JsonObject);
            expect({ ...first.body, meta: {} }).toEqual({ ...shown.body, meta: {} });
          } else {
            expect(first).toEqual(shown);
          }
          await expectStable(userKind, path, first);
          expect(await history(path)).toEqual(["user.created", "user.updated"].slice(0, getsName ? 2 : 1));
        }),
        amount,
      ));

    test("as a group with members", () =>
      fc.assert(
        fc.asyncProperty(arbitraryGroup, fc.nat(5), async (record, count) => {
          const json = { ...record, name: `Program ${created++}` };
          const { id } = await (await service.api("/api/groups", { method: "POST", json })).json();
          const add = users.slice(0, count).map(Number);
          await service.api(`/api/groups/${id}/members`, { method: "PATCH", json: { add } });
          const path = `Groups/g${id}`;
          const first = await see(path);
          await expectStable(groupKind, path, first);
          expect(await history(path)).toEqual(
            ["group.created", "group.members_changed"].slice(0, count > 0 ? 2 : 1),
          );
        }),
        amount,
      ));
  });
});

/** A member in one of the forms that clients send. */
function memberAs(value: string, form: number): string | object {
  const forms = [{ value }, value, { value, type: "User", display: "Ada" }, { Value: value, $ref: "x" }];
  return forms[form] ?? value;
}
