import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { CSV, NDJSON } from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { type MonitoredService, startMonitoredService } from "../../support/monitored-service.ts";
import { fixture, otherUser, usedKey } from "./bad-request.ts";
import { rejectedGroups, unparsableGroups } from "./bad-request-groups.ts";
import { expectClosed } from "./expect-closed.ts";
import { expectProblem, sendChecked } from "./expect-problem.ts";
import {
  createWideUsers,
  exportWideUsers,
  heavyBulkChanges,
  heavyImports,
  importEmptyLines,
  sendBulkChange,
  sendImport,
} from "./heavy-requests.ts";
import { LargeUsers, largeUserRequests } from "./large-user-requests.ts";
import { bodies, reads } from "./valid-requests.ts";

setDefaultTimeout(60_000);

onEachEngine((engine) => {
  let service: MonitoredService;
  const start = () =>
    beforeAll(async () => {
      service = await startMonitoredService({}, engine);
    });
  const stop = () => afterAll(() => service.stop());
  const expectShortTurns = async (work: () => Promise<unknown>) => {
    await work();
    await service.expectShortTurns(work);
  };

  describe("No invalid request holds the event loop", () => {
    start();
    beforeAll(async () => {
      await service.roster.users.create(fixture);
      await service.roster.users.create(otherUser, { idempotencyKey: usedKey });
    });
    stop();

    test.each(rejectedGroups)("%s", (_, rows) =>
      expectShortTurns(async () => {
        for (const row of rows) await expectProblem(service, row);
      }),
    );
    test.each(unparsableGroups)("%s", (_, rows) =>
      expectShortTurns(async () => {
        for (const row of rows) await expectClosed(service, row);
      }),
    );
    test.each([
      ["A valid read that looks invalid", reads],
      ["A valid body that looks invalid", bodies],
    ])("%s", async (_, rows) => {
      for (const { sent, status } of rows) expect((await sendChecked(service, sent)).status).toBe(status);
      // Some of the requests create a user, and cannot be repeated.
      await service.expectShortTurns(async () => undefined);
    });
  });

  describe("No request with much work per byte holds the event loop", () => {
    start();
    beforeAll(() => createWideUsers(service));
    stop();

    test.each([CSV, NDJSON])("An export of users with a thousand columns, as %s", (accept) =>
      expectShortTurns(() => exportWideUsers(service, accept)),
    );
    test.each(heavyBulkChanges)("A bulk change: %s", (_, body, status) =>
      expectShortTurns(() => sendBulkChange(service, body, status)),
    );
    test.each([...heavyImports])("An import as $type of $name", (each) =>
      expectShortTurns(() => sendImport(service, each)),
    );
    test.each([NDJSON, CSV])("16 imports of empty lines at the same time, as %s", (type) =>
      expectShortTurns(() => importEmptyLines(service, type)),
    );
  });

  describe("No request for large users holds the event loop", () => {
    let users: LargeUsers;
    start();
    beforeAll(async () => {
      users = await LargeUsers.create(service);
    });
    stop();

    test.each(largeUserRequests)("%s", (_, send) => expectShortTurns(() => send(users)));
  });
});
