import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { NDJSON } from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { patchOf, type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(60_000);

const GROUPS = 20;

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
  });
  afterAll(() => service.stop());

  test("a patch that finds nothing to change in a record finds it in the transaction that changes the members", async () => {
    const user = await scim.create("/Users", { userName: "ada" });
    const patch = patchOf(
      { op: "remove", path: "externalId" },
      { op: "add", path: "members", value: [{ value: user }] },
    );
    const meet = async (index: number) => {
      const id = await scim.create("/Groups", { displayName: `Group ${index}` });
      const path = `/api/groups/${id.slice(1)}`;
      await Promise.all([
        service.api(path, { method: "PATCH", json: { externalId: "7" } }),
        scim.expect(`PATCH /Groups/${id}`, patch),
      ]);
      const headers = { accept: NDJSON };
      const events = await (
        await service.api(`/api/events?subject=group:${id.slice(1)}`, { headers })
      ).text();
      const types = events
        .trim()
        .split("\n")
        .map((line): string => JSON.parse(line).type);
      const { externalId } = await (await service.api(path)).json();
      return { types: types.slice(1).join(), externalId };
    };
    const outcomes = new Set<string>();
    for (let index = 0; index < GROUPS; index++) outcomes.add(JSON.stringify(await meet(index)));
    for (const outcome of outcomes) {
      expect(possible.map((each) => JSON.stringify(each))).toContain(outcome);
    }
  });
});

/** The patch comes after the change of the record, and removes the id; or it comes before. */
const possible = [
  { types: "group.updated,group.updated,group.members_changed" },
  { types: "group.members_changed,group.updated", externalId: "7" },
];
