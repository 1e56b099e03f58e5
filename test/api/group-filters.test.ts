import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Call } from "../support/call.ts";
import { onEachEngine } from "../support/engines.ts";
import { describeProblem, readResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(60_000);

/** The members of each group. The users are 1 to 6, each with its id as level. */
const groups: readonly (readonly [name: string, members: readonly number[]])[] = [
  ["Sales", [1, 2, 3]],
  ["Caf\u00e9", [3, 4]],
  ["Empty", []],
];

onEachEngine((engine) => {
  let service: TestService;
  let call: Call;
  beforeAll(async () => {
    service = await startService({}, engine);
    call = service.call;
    for (const level of [1, 2, 3, 4, 5, 6]) {
      await call("/api/users", { method: "POST", json: { name: `User ${level}`, level } });
    }
    for (const [index, [name, add]] of groups.entries()) {
      await call("/api/groups", { method: "POST", json: { name, level: 7 } });
      await call(`/api/groups/${index + 1}/members`, { method: "PATCH", json: { add } });
    }
  });
  afterAll(() => service.stop());

  const idsOf = async (filter: string, path = "/api/users") => {
    const separator = path.includes("?") ? "&" : "?";
    const response = await call(`${path}${separator}filter=${encodeURIComponent(filter)}`);
    const found: { id: number }[] = await response.json();
    return found.map(({ id }) => id);
  };

  describe("a filter expression of users", () => {
    test.each<[filter: string, ids: readonly number[]]>([
      ["groups eq 1", [1, 2, 3]],
      ["groups ne 1", [4, 5, 6]],
      ["not (groups eq 1)", [4, 5, 6]],
      ["groups eq 3", []],
      ["not (groups eq 3)", [1, 2, 3, 4, 5, 6]],
      ["groups eq 99", []],
      ["not (groups eq 99)", [1, 2, 3, 4, 5, 6]],
      ['groups eq "1"', []],
      ['not (groups eq "1")', [1, 2, 3, 4, 5, 6]],
      ["groups eq 1 and groups eq 2", [3]],
      ["groups eq 1 and not (groups eq 2)", [1, 2]],
      ['groups.name eq "SALES"', [1, 2, 3]],
      ['groups.name eq "cafe\u0301"', [3, 4]],
      ['groups.name eq "cafe"', []],
      ['groups.name ne "Sales"', [4, 5, 6]],
      ['groups.name eq "Nobody"', []],
      ["groups pr", [1, 2, 3, 4]],
      ["not (groups pr)", [5, 6]],
      ["groups pr and level ge 3", [3, 4]],
      ["groups eq 1 and (level eq 1 or level eq 3)", [1, 3]],
      ["(groups eq 1 and level ge 2) and name pr", [2, 3]],
    ])("finds %s", async (filter, ids) => {
      expect(await idsOf(filter)).toEqual([...ids]);
      expect(await idsOf(filter, "/api/users?sort=-level")).toEqual([...ids].reverse());
      const counted = await call(`/api/users?limit=1&count=true&filter=${encodeURIComponent(filter)}`);
      expect(counted.headers.get("x-total-count")).toBe(String(ids.length));
      const exported = await call(`/api/users/export?filter=${encodeURIComponent(filter)}`);
      const lines = (await exported.text()).split("\n").filter((line) => line !== "");
      expect(lines.map((line) => JSON.parse(line).id)).toEqual([...ids]);
      const explained = await call(`/api/users/explain?filter=${encodeURIComponent(filter)}`);
      expect(explained.status).toBe(200);
    });

    test("joins the parameter group, a search and other filters", async () => {
      expect(await idsOf("groups eq 1", "/api/users?group=2")).toEqual([3]);
      expect(await idsOf("not (groups eq 2)", "/api/users?group=1&group=2&q=user")).toEqual([1, 2]);
      expect(await idsOf("groups eq 1", "/api/users?level=2&level=4")).toEqual([2]);
      expect(await idsOf("groups eq 2", "/api/groups/1/members")).toEqual([3]);
      expect(await idsOf("not (groups eq 2)", "/api/groups/1/members")).toEqual([1, 2]);
    });

    test.each([
      ["groups eq 1 or level ge 3", 1],
      ["level ge 3 and (name pr or groups eq 1)", 28],
      ["not (groups eq 1 and level ge 3)", 6],
      ["groups gt 1", 1],
      ['groups co "1"', 1],
      ['groups.name sw "Sal"', 1],
      ["groups.memberCount ge 3", 1],
      ["groups[id eq 1]", 1],
      ["phones[groups eq 1]", 8],
    ])("cannot ask for %s, and says where it fails", async (filter, position) => {
      for (const path of ["/api/users", "/api/users/explain", "/api/users/export", "/api/groups/1/members"]) {
        const { status, problem } = await readResponse(call(`${path}?filter=${encodeURIComponent(filter)}`));
        expect([status, problem?.errors]).toEqual([
          400,
          [expect.objectContaining({ parameter: "filter", position })],
        ]);
      }
    });
  });

  test("an explanation names each comparison of groups", async () => {
    const filter =
      'groups eq 1 and not (groups eq 2) and groups.name eq "Sales" and groups pr and level ge 1';
    const response = await call(`/api/users/explain?group=1&filter=${encodeURIComponent(filter)}`);
    const { estimates } = await response.json();
    const named = estimates.conditions.map(({ condition }: { condition: string }) => condition);
    expect(named.toSorted()).toEqual(["group", ...filter.split(" and ")].toSorted());
  });

  test("a group that is deleted is in no filter any more", async () => {
    const created = await call("/api/groups", { method: "POST", json: { name: "Gone" } });
    const { id } = await created.json();
    await call(`/api/groups/${id}/members`, { method: "PATCH", json: { add: [5] } });
    expect(await idsOf(`groups eq ${id}`)).toEqual([5]);
    expect(await idsOf("groups pr")).toEqual([1, 2, 3, 4, 5]);
    await call(`/api/groups/${id}`, { method: "DELETE" });
    expect(await idsOf(`groups eq ${id}`)).toEqual([]);
    expect(await idsOf('groups.name eq "Gone"')).toEqual([]);
    expect(await idsOf(`groups ne ${id} and level eq 5`)).toEqual([5]);
    expect(await idsOf("groups pr")).toEqual([1, 2, 3, 4]);
  });

  test("filters of deleted users and webhooks cannot compare groups", async () => {
    const filter = "groups eq 1";
    const deleted = await readResponse(call(`/api/deleted-users?filter=${encodeURIComponent(filter)}`));
    expect(describeProblem(deleted)).toEqual([400, "invalid-query", ["filter"]]);
    const bulk = await readResponse(
      call("/api/users/bulk", { method: "POST", json: { filter, restore: true } }),
    );
    expect(describeProblem(bulk)).toEqual([422, "invalid-bulk", ["/filter"]]);
    const webhook = { url: "https://example.com/hook", types: ["user.*"], filter };
    const created = await readResponse(call("/api/webhooks", { method: "POST", json: webhook }));
    expect(describeProblem(created)).toEqual([422, "invalid-webhook", ["/filter"]]);
  });

  test("groups have no groups: in their lists, the name is that of no field", async () => {
    expect(await idsOf("groups pr", "/api/groups")).toEqual([]);
    expect(await idsOf("not (groups eq 1) or level eq 3", "/api/groups")).toEqual([1, 2, 3]);
  });
});
