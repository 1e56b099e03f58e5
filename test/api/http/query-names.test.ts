import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { foreignParameterNames, listParameterNames } from "../../../src/contract/listing.ts";
import type { ProblemDocument } from "../../../src/contract/problems.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

const words =
  "page per_page perPage pageSize page_size skip start cursor order orderBy order_by search query _start _end _page _limit _sort _order select _fields";

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
    for (const name of ["Ada", "Grace"]) await service.roster.users.create({ name, page: 2 });
  });
  afterAll(() => service.stop());

  async function expectSuggestion(name: string, suggestion: string): Promise<void> {
    const response = await service.call(`/api/users?${name}=2`);
    expect(response.status).toBe(400);
    const { type, errors = [] }: ProblemDocument = await response.json();
    expect(type).toBe("/problems/invalid-query");
    expect(errors.map(({ parameter }) => parameter)).toEqual([name]);
    expect(errors[0]?.detail).toStartWith(`Did you mean ${suggestion}? `);
  }

  describe("A query parameter of another API", () => {
    test.each(words.split(" "))("named %s is 400, with a suggestion", async (name) => {
      await expectSuggestion(name, foreignParameterNames[name] ?? "nothing");
    });

    test("is 400 percent-encoded too", async () => {
      expect((await service.call("/api/users?%70age=2")).status).toBe(400);
    });
  });

  describe("A query parameter in another case", () => {
    test.each([...listParameterNames])("such as %s in capitals is 400, with a suggestion", async (name) => {
      await expectSuggestion(name.toUpperCase(), name);
      if (name.length > 1) await expectSuggestion(`${name[0]?.toUpperCase()}${name.slice(1)}`, name);
    });
  });

  test("A filter by a field with a similar name works", async () => {
    await service.roster.users.create({ name: "Lin", pages: 3, Order: "x" });
    for (const query of ["pages=3", "Order=x"]) {
      expect(await (await service.call(`/api/users?${query}`)).json()).toMatchObject([{ name: "Lin" }]);
    }
  });
});
