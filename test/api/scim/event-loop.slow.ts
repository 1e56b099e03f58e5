import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import { importBody, NDJSON } from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { type MonitoredService, startMonitoredService } from "../../support/monitored-service.ts";
import { heavyRequests, sendHeavy } from "./support/heavy-requests.ts";
import { createScimKey, patchOf, type ScimCaller } from "./support/scim-caller.ts";

setDefaultTimeout(120_000);

/** Members of a large group, and how many of them change. */
const MEMBERS = 50_000;
const CHANGED = 10;
/** Users with as many entries as fit. */
const HEAVY_USERS = 100;

onEachEngine((engine) => {
  let service: MonitoredService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startMonitoredService({ rateLimit: 0 }, engine);
    const users = Array.from({ length: MEMBERS + CHANGED }, (_, index) => `{"name":"User ${index}"}\n`);
    await importBody(service, NDJSON, users.join(""));
    scim = await createScimKey(service, service.call);
    await scim.create("/Groups", { displayName: "Light" });
  });
  afterAll(() => service.stop());

  test.each(heavyRequests)("$request with $name does not hold the event loop", async (each) => {
    const send = () => sendHeavy(scim, each);
    await send();
    await service.expectShortTurns(send);
  });

  test("PUT of a large group of which some members change does not hold the event loop", async () => {
    const id = await scim.create("/Groups", { displayName: "Large" });
    let round = 0;
    const replace = async () => {
      const first = (round++ % 2) * CHANGED;
      const members = Array.from({ length: MEMBERS }, (_, index) => {
        const value = String(first + index + 1);
        return {
          value,
          $ref: `${service.url}/scim/v2/Users/${value}`,
          type: "User",
          display: `User ${value}`,
        };
      });
      await scim.expect(`PUT /Groups/${id}`, { displayName: "Large", members });
    };
    await replace();
    await replace();
    await service.takeTurns();
    await replace();
    await service.expectShortTurns(replace);
  });

  test("lists of users with many entries do not hold the event loop", async () => {
    const phoneNumbers = Array.from({ length: 1300 }, (_, index) => ({ a: index }));
    for (let id = 1; id <= HEAVY_USERS; id++) {
      const user = { userName: `heavy${id}`, title: "heavy", phoneNumbers };
      await scim.expect(`PUT /Users/${id}`, user);
    }
    for (const query of [
      "count=1000",
      "filter=title eq heavy",
      "filter=title eq heavy&attributes=phoneNumbers",
    ]) {
      const list = () => scim.expect(`GET /Users?${query}`);
      await list();
      await service.takeTurns();
      await list();
      await service.expectShortTurns(list);
    }
  });

  test("PATCH of 10,000 members does not hold the event loop", async () => {
    const id = await scim.create("/Groups", { displayName: "Patched" });
    let round = 0;
    const patch = async () => {
      const op = round++ % 2 ? "remove" : "add";
      const value = Array.from({ length: 10_000 }, (_, index) => ({
        value: `${index + 1}`,
        display: "x".repeat(700),
      }));
      await scim.expect(`PATCH /Groups/${id}`, patchOf({ op, path: "members", value }));
    };
    await patch();
    await service.expectShortTurns(patch);
  });
});
