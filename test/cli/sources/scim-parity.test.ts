import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Command } from "../../../src/cli/command.ts";
import { importGroups } from "../../../src/cli/commands/groups/import.ts";
import { importUsers } from "../../../src/cli/commands/users/import.ts";
import type { JsonObject } from "../../../src/contract/json.ts";
import { groupKind, userKind } from "../../../src/scim/attributes.ts";
import { arbitraryResource } from "../../scim/support/arbitrary-resources.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { importFolder, runImport } from "./support/run-import.ts";

setDefaultTimeout(120_000);

const { path: folder, remove } = importFolder();
afterAll(remove);

const RUNS = 20;

/** Resources with names of their own, some of which SCIM refuses. */
function resources(kind: typeof userKind, name: "userName" | "displayName"): fc.Arbitrary<JsonObject[]> {
  const primary = { value: "a@b.example", primary: true };
  const refused = fc.oneof(
    fc.constantFrom<JsonObject>(
      { externalId: 5 },
      { emails: [primary, { ...primary, type: "x" }] },
      { [name]: "" },
    ),
    fc.uuid().map((id) => ({ [name]: `${id}\u0000` })),
  );
  const resource = fc.oneof(
    { arbitrary: arbitraryResource(kind), weight: 9 },
    {
      arbitrary: fc.tuple(arbitraryResource(kind), refused).map(([one, other]) => ({ ...one, ...other })),
      weight: 1,
    },
  );
  return fc.array(resource, { minLength: 1, maxLength: 8 });
}

onAnyEngine((engine) => {
  describe("the resources of an export", () => {
    let posted: TestService;
    let imported: TestService;
    let run = 0;
    beforeAll(async () => {
      [posted, imported] = [await startService({}, engine), await startService({}, engine)];
    });
    afterAll(async () => {
      await posted.stop();
      await imported.stop();
    });

    /** Gives each resource an id, and a name if it has none. */
    function identify(list: readonly JsonObject[], name: string, field: string, type: string): JsonObject[] {
      run++;
      return list.map((resource, index) => {
        const id = `${run}-${index}`;
        return {
          [name]: `${field} ${id}`,
          ...resource,
          id,
          meta: { resourceType: type, created: "2020-01-01" },
        };
      });
    }

    /** Which of the resources SCIM refuses. */
    async function post(path: string, list: readonly JsonObject[]): Promise<boolean[]> {
      const refusals: boolean[] = [];
      for (const resource of list) {
        const response = await posted.call(path, {
          method: "POST",
          headers: { "content-type": "application/scim+json" },
          body: JSON.stringify(resource),
        });
        refusals.push(response.status !== 201);
      }
      return refusals;
    }

    /** Which of the resources an import refuses. */
    async function importList(command: Command, Resources: readonly JsonObject[]): Promise<boolean[]> {
      const text = JSON.stringify({ Resources });
      const args = ["--output", "ndjson"];
      const { stdout } = await runImport(command, { folder, url: imported.url, from: "scim", text, args });
      const lines = stdout.split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line).problem !== undefined);
    }

    /** The records of this run by their names, without what only the service writes and what only imports write. */
    async function stored(service: TestService, kind: "users" | "groups", name: string) {
      const filter = encodeURIComponent(`${name} sw "${name} ${run}-"`);
      const records: JsonObject[] = await (
        await service.call(`/api/${kind}?filter=${filter}&sort=${name}`)
      ).json();
      return records.map(
        ({ id, version, createdAt, updatedAt, memberCount, scimId, originalCreatedAt, ...record }) => record,
      );
    }

    test("become the same users by an import as by POST, and both refuse the same", async () => {
      await fc.assert(
        fc.asyncProperty(resources(userKind, "userName"), async (list) => {
          const users = identify(list, "userName", "userName", "User");
          const refusals = await post("/scim/v2/Users", users);
          const failures = await importList(importUsers, users);
          expect(failures).toEqual(refusals);
          const records = await stored(posted, "users", "userName");
          expect(records).toHaveLength(refusals.filter((isRefused) => !isRefused).length);
          expect(await stored(imported, "users", "userName")).toEqual(records);
        }),
        { numRuns: RUNS },
      );
    });

    test("become the same groups by an import as by POST, and both refuse the same", async () => {
      await fc.assert(
        fc.asyncProperty(resources(groupKind, "displayName"), async (list) => {
          const groups = identify(list, "displayName", "name", "Group").map(({ members, ...group }) => group);
          const refusals = await post("/scim/v2/Groups", groups);
          const failures = await importList(importGroups, groups);
          expect(failures).toEqual(refusals);
          const records = await stored(posted, "groups", "name");
          expect(records).toHaveLength(refusals.filter((isRefused) => !isRefused).length);
          expect(await stored(imported, "groups", "name")).toEqual(records);
        }),
        { numRuns: RUNS },
      );
    });
  });
});
