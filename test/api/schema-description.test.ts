import { afterAll, beforeAll, expect, test } from "bun:test";
import { startService, type TestService } from "../support/service.ts";

const key = `roster_${"0".repeat(30)}`;
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const badge = { type: "string", pattern: "^B-\\d{4}$", "x-unique": true };
const plan = { type: "string", default: "free" };

test("the OpenAPI description has the custom fields for callers that may read users", async () => {
  const before = await (await service.call("/openapi.json")).text();
  await service.roster.schema.set({
    $defs: { city: { type: "string", title: "City" } },
    properties: { badge, plan, address: { type: "object", properties: { city: { $ref: "#/$defs/city" } } } },
    required: ["badge", "plan"],
    additionalProperties: false,
  });
  const described = await (await service.call("/openapi.json")).json();
  const { User, UserInput, ListedUser } = described.components.schemas;
  expect(User.properties.badge).toEqual(badge);
  expect(ListedUser.properties.address.properties.city).toEqual({ type: "string", title: "City" });
  expect(User.properties.plan).toEqual(plan);
  // A new user without a plan gets the default.
  expect(UserInput.required).toEqual(["name", "badge"]);
  expect(UserInput.additionalProperties).toBe(false);
  expect(User.required).not.toContain("badge");

  // Once a key exists, only keys with users:read get the custom fields.
  const { key: reader } = await service.roster.keys.create({ name: "reader", scopes: ["users:read"] });
  const asReader = await service.call("/openapi.json", { headers: { authorization: `Bearer ${reader}` } });
  expect(await asReader.json()).toEqual(described);
  for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
    expect(await (await service.call("/openapi.json", { headers })).text()).toBe(before);
  }
});
