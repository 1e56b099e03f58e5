import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/contract/json.ts";
import { scimDiscoveryOperations } from "../../../src/contract/scim/scim-operations.ts";
import { enterpriseSchema, groupSchema, urns, userSchema } from "../../../src/scim/attributes.ts";
import { bearer } from "../../support/credentials.ts";
import { startService, type TestService } from "../../support/service.ts";

let service: TestService;
/** A key that may read users, and one that may not. */
let reader: string;
let stranger: string;
beforeAll(async () => {
  service = await startService();
  const { keys } = service.roster;
  const admin = await keys.create({ name: "admin", scopes: ["keys:manage", "users:read", "schema:manage"] });
  reader = admin.key;
  const headers = bearer(reader);
  const json = { name: "stranger", scopes: ["groups:read"] };
  const created = await service.call("/api/keys", { method: "POST", headers, json });
  stranger = (await created.json()).key;
});
afterAll(() => service.stop());

const get = async (path: string, headers: Record<string, string> = {}): Promise<JsonObject> => {
  const response = await service.call(`/scim/v2${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return await response.json();
};
const setSchema = async (schema: object) => {
  const headers = bearer(reader);
  const response = await service.call("/api/schema", { method: "PUT", headers, json: schema });
  expect([response.status, await response.json()]).toEqual([200, schema]);
};
const resourcesOf = ({ Resources }: JsonObject) =>
  (Array.isArray(Resources) ? Resources : []).filter(isObject);

describe("/ServiceProviderConfig", () => {
  test("says what the service supports", async () => {
    expect(await get("/ServiceProviderConfig")).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
      documentationUri: `${service.url}/docs`,
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 1000, maxPayloadSize: 1_048_576 },
      filter: { supported: true, maxResults: 1000 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      pagination: {
        cursor: true,
        index: true,
        defaultPaginationMethod: "index",
        defaultPageSize: 100,
        maxPageSize: 1000,
      },
      authenticationSchemes: [
        {
          type: "oauthbearertoken",
          name: expect.any(String),
          description: expect.any(String),
          specUri: expect.stringContaining("rfc6750"),
          documentationUri: `${service.url}/docs`,
          primary: true,
        },
        {
          type: "oauth2",
          name: expect.any(String),
          description: expect.stringContaining("POST /oauth/token"),
          specUri: expect.stringContaining("rfc6749"),
          documentationUri: `${service.url}/docs`,
          primary: false,
        },
      ],
      meta: {
        resourceType: "ServiceProviderConfig",
        location: `${service.url}/scim/v2/ServiceProviderConfig`,
      },
    });
  });
});

describe("/ResourceTypes", () => {
  test("lists users and groups, and each has a page of its own", async () => {
    const list = await get("/ResourceTypes");
    expect(list).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 2,
      itemsPerPage: 2,
      startIndex: 1,
    });
    const [user, group] = resourcesOf(list);
    expect(user).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
      id: "User",
      name: "User",
      endpoint: "/Users",
      description: expect.any(String),
      schema: urns.user,
      schemaExtensions: [{ schema: urns.enterpriseUser, required: false }],
      meta: { resourceType: "ResourceType", location: `${service.url}/scim/v2/ResourceTypes/User` },
    });
    expect(group).toMatchObject({ id: "Group", endpoint: "/Groups", schema: urns.group });
    expect(await get("/ResourceTypes/User")).toEqual(user ?? {});
    expect(await get("/ResourceTypes/Group")).toEqual(group ?? {});
  });
});

describe("/Schemas", () => {
  const characteristics = [
    ...["name", "type", "multiValued", "description", "required", "caseExact"],
    ...["mutability", "returned", "uniqueness"],
  ];

  /** Every attribute and sub-attribute of a schema. */
  const attributesOf = (holder: JsonObject, member = "attributes"): JsonObject[] => {
    const attributes = holder[member];
    return (Array.isArray(attributes) ? attributes : [])
      .filter(isObject)
      .flatMap((attribute) => [attribute, ...attributesOf(attribute, "subAttributes")]);
  };

  test("has every attribute of the table, with every characteristic and no null", async () => {
    const list = await get("/Schemas");
    const schemas = resourcesOf(list);
    expect(schemas.map(({ id }) => id)).toEqual([urns.user, urns.enterpriseUser, urns.group]);
    expect(list.totalResults).toBe(3);
    for (const [index, known] of [userSchema, enterpriseSchema, groupSchema].entries()) {
      const described = attributesOf(schemas[index] ?? {});
      const names = known.attributes.flatMap(({ name, subAttributes = [] }) => [
        name,
        ...subAttributes.map((sub) => sub.name),
      ]);
      expect(described.map(({ name }) => String(name))).toEqual(names);
      for (const attribute of described) {
        expect(Object.keys(attribute)).toEqual(expect.arrayContaining(characteristics));
        expect(Object.values(attribute)).not.toContain(null);
        if (attribute.type === "reference") expect(attribute.referenceTypes).toBeArray();
        expect(attribute.type === "complex").toBe(attribute.subAttributes !== undefined);
      }
      expect(await get(`/Schemas/${known.id}`)).toEqual(schemas[index] ?? {});
    }
    expect(JSON.stringify(list)).not.toMatch(/password|x509/i);
  });

  test("has the custom fields that the schema defines, for callers that may read users", async () => {
    const before = await get("/Schemas");
    await setSchema({
      properties: {
        badge: { type: "string", title: "Badge", "x-unique": true },
        plan: { type: ["string", "null"], enum: ["free", "paid"], default: "free" },
        level: { type: "integer" },
        share: { type: "number" },
        hired: { type: "string", format: "date-time" },
        tags: { type: "array", items: { type: "string" } },
        home: {
          type: "object",
          properties: { city: { type: "string" }, geo: { type: "object" }, "two words": { type: "string" } },
          required: ["city"],
        },
        title: { type: "string" },
        anything: {},
        mixed: { type: ["string", "integer"] },
        lists: { type: "array", items: { type: "array" } },
      },
      required: ["badge", "plan"],
    });
    const described = await get(`/Schemas/${urns.rosterUser}`, bearer(reader));
    expect(described).toMatchObject({
      id: urns.rosterUser,
      meta: { resourceType: "Schema", location: `${service.url}/scim/v2/Schemas/${urns.rosterUser}` },
    });
    const shown = attributesOf(described).map(({ name, type, multiValued, required, uniqueness }) => [
      ...[name, type, multiValued, required, uniqueness],
    ]);
    expect(shown).toEqual([
      ["badge", "string", false, true, "server"],
      // A user without a plan gets the default.
      ["plan", "string", false, false, "none"],
      ["level", "integer", false, false, "none"],
      ["share", "decimal", false, false, "none"],
      ["hired", "dateTime", false, false, "none"],
      ["tags", "string", true, false, "none"],
      ["home", "complex", false, false, "none"],
      ["city", "string", false, true, "none"],
    ]);
    for (const attribute of attributesOf(described))
      expect(Object.keys(attribute)).toEqual(expect.arrayContaining(characteristics));
    expect(attributesOf(described)[1]).toMatchObject({ canonicalValues: ["free", "paid"] });
    expect(resourcesOf(await get("/Schemas", bearer(reader)))).toHaveLength(4);
    expect(await get("/ResourceTypes/User", bearer(reader))).toMatchObject({
      schemaExtensions: [
        { schema: urns.enterpriseUser, required: false },
        { schema: urns.rosterUser, required: true },
      ],
    });

    for (const headers of [{}, bearer(stranger), bearer("wrong")]) {
      expect(await get("/Schemas", headers)).toEqual(before);
      expect(JSON.stringify(await get("/ResourceTypes", headers))).not.toContain(urns.rosterUser);
      const { status } = await service.call(`/scim/v2/Schemas/${urns.rosterUser}`, { headers });
      expect(status).toBe(404);
    }
    await setSchema({});
    expect(await get("/Schemas", bearer(reader))).toEqual(before);
  });
});

describe("discovery", () => {
  const paths = Object.values(scimDiscoveryOperations)
    .map(({ path }) => path.replace("/scim/v2", ""))
    .map((path) => path.replace("{id}", path.startsWith("/Schemas") ? urns.user : "User"));

  test.each(paths)("%s needs no key, ignores query parameters and matches in any case", async (path) => {
    const document = await get(path);
    expect(await get(`${path}?filter=id eq "1"&%FF&attributes=`)).toEqual(document);
    expect(await get(`${path}/?`)).toEqual(document);
    expect(await get(path.toUpperCase())).toEqual(document);
    const head = await service.call(`/scim/v2${path}`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test.each(paths)("%s has no other methods", async (path) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const response = await service.call(`/scim/v2${path}`, { method, headers: bearer(reader) });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
    const options = await service.call(`/scim/v2${path}`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  test.each([
    [undefined, "application/scim+json"],
    ["*/*", "application/scim+json"],
    ["application/json, */*;q=0.1", "application/scim+json"],
    ["application/json, application/scim+json;q=0.5", "application/scim+json"],
    ["application/json", "application/json"],
    ["application/json;q=0.5, text/html", "application/json"],
    ["application/json, application/scim+json;q=0", "application/json"],
  ])("with Accept: %s, the type of the response is %s", async (accept, type) => {
    for (const path of ["/ServiceProviderConfig", "/nothing"]) {
      const headers = accept === undefined ? {} : { accept };
      const response = await service.call(`/scim/v2${path}`, { headers });
      expect(response.headers.get("content-type")).toBe(type);
    }
  });
});

test("with ROSTER_SCIM=off, the paths are unknown", async () => {
  const off = await startService({ scim: "off" });
  for (const path of ["", "/Users", "/users/1", "/ServiceProviderConfig", "/Me"]) {
    const response = await fetch(`${off.url}/scim/v2${path}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json",
    ]);
    expect((await response.json()).type).toBe("/problems/not-found");
  }
  await off.stop();
});
