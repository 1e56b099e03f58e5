import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import type { DeliveryDetails } from "../../src/contract/webhooks/delivery-schemas.ts";
import { bearer } from "../support/credentials.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { recordDelivery } from "../support/record-delivery.ts";
import { startServiceOn, type TestService } from "../support/service.ts";

const TEXT = "<img src=x onerror=alert(1)> ada@example.com";
const apiKey = createSecret();

onEachEngine((engine) => {
  describe("a response that is stored", () => {
    let database: Awaited<ReturnType<typeof databaseOn>>;
    let on: TestService;
    let off: TestService;
    beforeAll(async () => {
      database = await databaseOn(engine);
      on = await startServiceOn(database.url, { webhookStoreResponses: "on", auth: "required", apiKey });
      off = await startServiceOn(database.url, { auth: "required", apiKey });
    });
    afterAll(async () => {
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
      const deliveryId = await recordDelivery(database.url, { webhookId: id, userId: user.id, body: TEXT });
      return { userId: user.id, path: `/api/webhooks/${id}/deliveries`, deliveryId };
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
