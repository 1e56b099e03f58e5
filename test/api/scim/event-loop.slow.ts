import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { type MonitoredService, startMonitoredService } from "../../support/monitored-service.ts";
import { heavyRequests, sendHeavy } from "./support/heavy-requests.ts";
import { createScimKey, type ScimCaller } from "./support/scim-caller.ts";

setDefaultTimeout(60_000);

onEachEngine((engine) => {
  let service: MonitoredService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startMonitoredService({ rateLimit: 0 }, engine);
    scim = await createScimKey(service, service.call);
    await scim.create("/Users", { userName: "ada" });
    await scim.create("/Groups", { displayName: "Light" });
  });
  afterAll(() => service.stop());

  test.each(heavyRequests)("$request with $name does not hold the event loop", async (each) => {
    const send = () => sendHeavy(scim, each);
    await send();
    await service.expectShortTurns(send);
  });
});
