import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { LargeUsers, largeUserRequests } from "./large-user-requests.ts";

setDefaultTimeout(60_000);

onEachEngine((engine) => {
  let service: TestService;
  let users: LargeUsers;
  beforeAll(async () => {
    service = await startService({}, engine);
    users = await LargeUsers.create(service);
  });
  afterAll(() => service.stop());

  test.each(largeUserRequests)("%s is complete", (_, send) => send(users));
});
