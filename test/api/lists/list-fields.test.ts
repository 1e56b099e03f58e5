import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listLimits } from "../../../src/contract/listing.ts";
import type { ProblemDocument } from "../../../src/contract/problems.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

const ada = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  address: { city: "London", street: "St James's Square", geo: { lat: 51.5, lon: -0.1 } },
  phones: [{ type: "work", value: "+47 1" }, { type: "home" }, "none", [{ value: "+47 2" }]],
  tags: ["vip", "a,b"],
  note: null,
};

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
    await service.roster.users.create(ada);
    await service.roster.users.create({
      name: "Grace",
      address: "unknown",
      odd: { "post code": "0150", "a.b": 2 },
    });
  });
  afterAll(() => service.stop());

  const list = async (fields: string) => {
    const response = await service.call(`/api/users?fields=${encodeURIComponent(fields)}`);
    expect(response.status).toBe(200);
    return response.text();
  };
  const exported = async (query: string) => (await service.call(`/api/users/export?${query}`)).text();

  describe("fields", () => {
    test("selects these fields of each user, besides the id and the version", async () => {
      expect(await list("name,email")).toBe(
        '[{"id":1,"name":"Ada Lovelace","email":"ada@example.com","version":1},{"id":2,"name":"Grace","version":1}]',
      );
      expect(await list("id")).toBe('[{"id":1,"version":1},{"id":2,"version":1}]');
    });

    test("leaves out fields that a user does not have, and keeps null", async () => {
      expect(await list("nothing,note")).toBe('[{"id":1,"note":null,"version":1},{"id":2,"version":1}]');
    });

    test("selects values inside objects, and leaves out text where an object is expected", async () => {
      expect(JSON.parse(await list("address.city,address.geo.lat"))).toEqual([
        { id: 1, address: { city: "London", geo: { lat: 51.5 } }, version: 1 },
        { id: 2, version: 1 },
      ]);
      expect(JSON.parse(await list("address.zip"))[0]).toEqual({ id: 1, address: {}, version: 1 });
    });

    test("selects a whole object if both the object and a value inside it are named", async () => {
      for (const fields of ["address,address.city", "address.city,address"]) {
        expect(JSON.parse(await list(fields))[0]).toEqual({ id: 1, address: ada.address, version: 1 });
      }
    });

    test("selects values inside each element of an array", async () => {
      expect(JSON.parse(await list("phones.value,tags"))[0]).toEqual({
        id: 1,
        phones: [{ value: "+47 1" }, {}, [{ value: "+47 2" }]],
        tags: ada.tags,
        version: 1,
      });
    });

    test("takes names with other characters as JSON strings", async () => {
      expect(JSON.parse(await list('odd."post code",odd."a.b"'))[1]).toEqual({
        id: 2,
        odd: { "post code": "0150", "a.b": 2 },
        version: 1,
      });
    });

    test("has no effect on which users are on a page, in which order and how many there are", async () => {
      const { users, next, total } = await service.roster.users
        .list({ fields: ["name"], sort: "-name", limit: 1 })
        .page({ count: true });
      expect(users).toEqual([{ id: 2, name: "Grace", version: 1 }]);
      expect(total).toEqual({ count: 2, capped: false });
      expect(next).toBeString();
    });

    test("reads pages of large users whole, also where the projection takes long", async () => {
      const other = await startService({}, engine);
      const large = Array.from({ length: 900 }, (_, number) => ({ [`n${number}`]: number }));
      await other.roster.users
        .import(Array.from({ length: 100 }, (_, i) => ({ name: `u${i}`, large })))
        .summary();
      const { users, next } = await other.roster.users.list({ fields: ["large.n7"], limit: 100 }).page();
      expect(users).toHaveLength(100);
      expect(next).toBeUndefined();
      expect(JSON.stringify(users[99]?.large)).toContain('{"n7":7},{}');
      await other.stop();
    });

    test.each([
      ["", "Enter field names separated by commas, such as id,name,address.city."],
      ["id,", "Enter field names separated by commas, such as id,name,address.city."],
      ["a..b", "Enter field names separated by commas, such as id,name,address.city."],
      ["id, name", "Enter field names separated by commas, such as id,name,address.city."],
      ['a."b', "Enter field names separated by commas, such as id,name,address.city."],
      ["a\u0007b", "Enter field names separated by commas, such as id,name,address.city."],
      [
        Array.from({ length: listLimits.fields + 1 }, (_, i) => `f${i}`).join(),
        `Enter at most ${listLimits.fields} fields.`,
      ],
      [
        "x".repeat(listLimits.fieldsCharacters + 1),
        `Enter at most ${listLimits.fieldsCharacters} characters.`,
      ],
    ])("%# rejects an invalid list of fields", async (fields, detail) => {
      for (const path of ["/api/users", "/api/users/export"]) {
        const response = await service.call(`${path}?fields=${encodeURIComponent(fields)}`);
        expect(response.status).toBe(400);
        const problem: ProblemDocument = await response.json();
        expect(problem.type).toBe("/problems/invalid-query");
        expect(problem.errors).toEqual([{ parameter: "fields", detail }]);
      }
    });

    test("accepts as many fields as allowed, and repeated ones", async () => {
      const most = Array.from({ length: listLimits.fields }, () => "name").join();
      expect(await list(most)).toStartWith('[{"id":1,"name":"Ada Lovelace","version":1}');
    });
  });

  describe("fields of an export", () => {
    test("are those of each line of NDJSON", async () => {
      expect(await exported("fields=name,address.city")).toBe(
        '{"id":1,"name":"Ada Lovelace","address":{"city":"London"},"version":1}\n{"id":2,"name":"Grace","version":1}\n',
      );
    });

    test("are the columns of CSV, in this order", async () => {
      expect(await exported("format=csv&fields=version,name,id")).toBe(
        "version,name,id\r\n1,Ada Lovelace,1\r\n1,Grace,2\r\n",
      );
    });

    test("have the id in front and the version at the end in CSV, unless they are named", async () => {
      expect(await exported("format=csv&fields=address.city,email,nothing")).toBe(
        "id,address.city,email,nothing,version\r\n1,London,ada@example.com,,1\r\n2,,,,1\r\n",
      );
    });

    test("have all values inside the elements of an array in one cell of CSV", async () => {
      expect(await exported("format=csv&fields=id,phones.value,tags,version")).toBe(
        'id,phones.value,tags,version\r\n1,"[""+47 1"",[""+47 2""]]","[""vip"",""a,b""]",1\r\n2,,,1\r\n',
      );
    });
  });
});
