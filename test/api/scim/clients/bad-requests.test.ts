import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../../support/engines.ts";
import {
  badOperations,
  badRequests,
  fixtureGroup,
  fixtureUser,
  otherGroup,
  otherUser,
} from "./bad-requests.ts";
import { Directory } from "./support/directory.ts";
import type { Answer, ProvisioningClient } from "./support/provisioning-client.ts";

setDefaultTimeout(120_000);

onEachEngine((engine) => {
  const directory = new Directory(engine);
  let client: ProvisioningClient;
  const readAll = async () => {
    const paths = ["/Users/1", "/Users/2", "/Groups/g1", "/Groups/g2"];
    const answers: Answer[] = [];
    for (const path of paths) answers.push(await client.send(`GET ${path}`, { status: 200 }));
    const counts = [await directory.userCount(), await directory.groupCount()];
    return [...answers.map(({ body }) => body), ...counts];
  };
  let before: Awaited<ReturnType<typeof readAll>> = [];
  beforeAll(async () => {
    client = await directory.connect("Bad client");
    for (const json of [fixtureUser, otherUser]) await client.send("POST /Users", { json, status: 201 });
    for (const json of [fixtureGroup, otherGroup]) await client.send("POST /Groups", { json, status: 201 });
    before = await readAll();
  });

  for (const [title, requests] of badRequests) {
    describe(`Bad ${title}`, () => {
      for (const { name, request, status, scimType, ...sent } of requests) {
        test(`${request.slice(0, 60)} with ${name}: ${status}${scimType ? ` ${scimType}` : ""}`, async () => {
          await client.send(request, { ...sent, status, scimType: scimType ?? null });
        });
      }

      test("nothing is half done", async () => {
        expect(await readAll()).toEqual(before);
      });
    });
  }

  describe("Bad operations of bulk requests", () => {
    for (const { name, status, scimType, operation } of badOperations) {
      test(`An operation with ${name}: ${status}${scimType ? ` ${scimType}` : ""}`, async () => {
        const { body } = await client.send("POST /Bulk", { json: { Operations: [operation] }, status: 200 });
        const [result, ...others] = Array.isArray(body.Operations) ? body.Operations : [];
        expect(others).toEqual([]);
        expect(result).toMatchObject({
          status: String(status),
          response: { status: String(status), ...(scimType && { scimType }) },
        });
      });
    }

    test("nothing is half done", async () => {
      expect(await readAll()).toEqual(before);
    });
  });

  test("bad requests leave no events and no errors in the log", async () => {
    for (const id of ["1", "2", "g2"]) expect(await directory.history(id)).toEqual(["created"]);
    const levels = directory.log.map((line) => JSON.parse(line).level);
    expect(levels).not.toContain("error");
  });

  describe("Odd requests that are valid", () => {
    const createUser = (body: string) => client.send("POST /Users", { body, status: 201 });

    test("of members with the same name, the last one counts", async () => {
      const { id } = await createUser('{"userName":"first@odd.example","userName":"last@odd.example"}');
      expect(await directory.user(id)).toMatchObject({ userName: "last@odd.example" });
    });

    test("names match in any case, and come back in the RFC's spelling", async () => {
      const { body } = await createUser(
        '{"USERNAME":"case@odd.example","NickName":"N","NAME":{"GIVENNAME":"G"}}',
      );
      expect(body).toMatchObject({ userName: "case@odd.example", nickName: "N", name: { givenName: "G" } });
    });

    test("unknown attributes at the top are ignored, also the names of prototypes", async () => {
      const { id } = await createUser(
        '{"userName":"unknown@odd.example","isAdmin":true,"__proto__":{"active":false},"id":"1","groups":[{"value":"g1"}]}',
      );
      const { scim: _scim, ...record } = await directory.user(id);
      expect(record).toEqual({ name: "unknown@odd.example", userName: "unknown@odd.example" });
    });

    test("a page far behind the last one is empty", async () => {
      for (const query of ["startIndex=1000000000&count=10", "startIndex=9007199254740991"]) {
        const page = await client.send(`GET /Groups?${query}`, { status: 200 });
        expect(page.resources).toEqual([]);
      }
    });

    test("a negative count and a negative startIndex are 0 and 1", async () => {
      await client.send("GET /Groups?count=-5", {
        status: 200,
        includes: { itemsPerPage: 0, totalResults: 2 },
      });
      await client.send("GET /Groups?startIndex=-5&count=1", { status: 200, includes: { startIndex: 1 } });
    });

    test("an unknown attribute in a filter matches nothing", async () => {
      await client.send('GET /Users?filter=__proto__ eq "x"', { status: 200, finds: [] });
      await client.send('GET /Groups?filter=owners[value eq "1"]', { status: 200, finds: [] });
    });

    test("1,000 operations are applied", async () => {
      const { id } = await createUser('{"userName":"operations@odd.example"}');
      const operations = Array.from({ length: 1000 }, (_, i) => ({
        op: "add",
        path: "title",
        value: `Title ${i}`,
      }));
      await client.send(`PATCH /Users/${id}`, {
        json: { Operations: operations },
        status: 200,
        includes: { title: "Title 999" },
      });
    });
  });
});
