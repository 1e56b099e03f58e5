import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseDatabase } from "../../src/config/database-url.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import type { DeliveryDetails } from "../../src/contract/webhooks/delivery-schemas.ts";
import { toEventId } from "../../src/domain/events/event.ts";
import type { Store } from "../../src/domain/store.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { bearer } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { pooler } from "../support/postgres/fresh-database.ts";
import { startServiceOn, type TestService } from "../support/service.ts";

const TEXT = "<img src=x onerror=alert(1)> ada@example.com";
const apiKey = createSecret();

onEachEngine((engine) => {
  describe("a response that is stored", () => {
    let database: Awaited<ReturnType<typeof databaseOn>>;
    let store: Store;
    let on: TestService;
    let off: TestService;
    beforeAll(async () => {
      database = await databaseOn(engine);
      on = await startServiceOn(database.url, { webhookStoreResponses: "on", auth: "required", apiKey });
      off = await startServiceOn(database.url, { auth: "required", apiKey });
      const options = {
        ...{ batch: 512, queue: 1000, waitMs: 60_000, recordRules: defaultRecordRules },
        ...{ pool: 2, dedicatedSessions: pooler === "none", migrate: false },
      };
      store = await openStore(parseDatabase(database.url), options, { committed: () => undefined });
    });
    afterAll(async () => {
      await store.close();
      await off.stop();
      await on.stop();
      await database.drop();
    });
    const owner = { headers: bearer(apiKey) };

    /** A delivery with a response from a public address, which no receiver of a test has. */
    const deliver = async () => {
      const created = await on.call("/api/users", { method: "POST", json: { name: "Ada" }, ...owner });
      const user: { id: number } = await created.json();
      // The service does not send to a webhook that is not active.
      const json = { url: "https://hooks.example.com/", types: ["user.*"], active: false };
      const { id }: { id: number } = await (
        await on.call("/api/webhooks", { method: "POST", json, ...owner })
      ).json();
      const { events = [] } =
        (await store.events.read({ subject: { type: "user", id: user.id }, limit: 1 })) ?? {};
      const position = events[0]?.position ?? 0;
      const time = Date.parse("2026-11-16T08:00:00.000Z");
      const attempt = { time, code: 500, durationMs: 3, error: "The receiver answered 500." };
      await store.deliveries.lease([id], "test", 60_000);
      const delivery = {
        ...{ position, type: "user.created", subjectId: user.id, state: "failed" as const, failures: 10 },
        ...{ attempts: [attempt], nextAttemptAt: null, response: { time, body: TEXT, isCut: true } },
      };
      const progress = { knownPosition: Number.MAX_SAFE_INTEGER, position: 0, failingSince: null };
      const report = {
        webhookId: id,
        deliveries: [delivery],
        attempts: [],
        pausedUntil: 0,
        replay: undefined,
      };
      expect(await store.deliveries.record([{ ...report, ...progress }], "test", 60_000)).toEqual([id]);
      await store.deliveries.release([id], "test");
      return { userId: user.id, path: `/api/webhooks/${id}/deliveries`, deliveryId: toEventId(position) };
    };
    const read = async (service: TestService, path: string): Promise<DeliveryDetails> =>
      (await service.call(path, owner)).json();

    test("is shown as it is, as JSON, while the service stores responses", async () => {
      const { path, deliveryId } = await deliver();
      const details = await read(on, `${path}/${deliveryId}`);
      expect(details).toMatchObject({
        response: { time: "2026-11-16T08:00:00.000Z", body: TEXT, cut: true },
        storesResponses: true,
      });
      expect(await read(off, `${path}/${deliveryId}`)).toMatchObject({
        response: null,
        storesResponses: false,
      });
      expect(await (await on.call(path, owner)).text()).not.toContain("onerror");
    });

    test("is shown only to keys with both scopes", async () => {
      const { path, deliveryId } = await deliver();
      for (const scopes of [["webhooks:manage"], ["events:read"], ["webhooks:manage", "users:read"]]) {
        const json = { name: "one", scopes };
        const { key }: { key: string } = await (
          await on.call("/api/keys", { method: "POST", json, ...owner })
        ).json();
        const response = await on.call(`${path}/${deliveryId}`, { headers: bearer(key) });
        expect([scopes, response.status, (await response.text()).includes("onerror")]).toEqual([
          ...[scopes, 403, false],
        ]);
      }
    });

    test("is erased with the purge of the user, from the database too", async () => {
      const { userId, path, deliveryId } = await deliver();
      await on.call(`/api/users/${userId}?purge=true`, { method: "DELETE", ...owner });
      const details = await read(on, `${path}/${deliveryId}`);
      expect(details).toMatchObject({ response: null, storesResponses: true, request: { exact: false } });
      expect(details.request?.body).toContain('"record":null');
    });
  });
});
