import { afterAll, beforeAll, expect, test } from "bun:test";
import { ApiError } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await service.roster.users.create({ name: "Ada", level: 3 });
  await service.roster.users.create({ name: "Bob", level: "high" });
});
afterAll(() => service.stop());

test("reads, checks, sets and removes the schema, and lists versions and violations", async () => {
  const { schema } = service.roster;
  expect(await schema.get()).toEqual({ version: 0, schema: {} });
  const levels = { properties: { level: { type: "integer" } } };
  const progress: number[] = [];
  const check = await schema.check(levels, {
    onProgress: ({ checked, total }) => progress.push(checked, total),
  });
  expect(check).toMatchObject({ checked: 2, violating: 1, violations: [{ id: 2 }] });
  expect(progress).toEqual([0, 2]);
  expect(await schema.set(levels, { ifMatch: 0 })).toEqual({ version: 1, schema: levels });
  const violations = await Array.fromAsync(schema.violations());
  expect(violations.map(({ id, errors }) => [id, errors[0]?.pointer])).toEqual([[2, "/level"]]);
  const stale = schema.set({}, { ifMatch: 0 }).catch((error: unknown) => error);
  expect(await stale).toBeInstanceOf(ApiError);
  await schema.remove();
  const versions = await Array.fromAsync(schema.versions());
  expect(versions.map(({ version, schema }) => [version, schema])).toEqual([
    [2, {}],
    [1, levels],
  ]);
  const invalid = await schema.check({ anyOf: [] }).catch((error: unknown) => error);
  expect(invalid instanceof ApiError && invalid.type).toBe("invalid-schema");
});
