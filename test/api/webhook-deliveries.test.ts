import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { verifyWebhook } from "../../src/client/verify-webhook.ts";
import type {
  AttemptHistory,
  Delivery,
  DeliveryDetails,
} from "../../src/contract/webhooks/delivery-schemas.ts";
import type { WebhookWithSecret } from "../../src/contract/webhooks/webhook-schemas.ts";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { type Receiver, startReceiver } from "../webhooks/support/receiver.ts";

onEachEngine((engine) => {
  describe("the deliveries of a webhook", () => {
    let service: TestService;
    let receiver: Receiver;
    let webhook: WebhookWithSecret;
    beforeAll(async () => {
      service = await startService({ webhookPrivate: "allow", webhookStoreResponses: "on" }, engine);
      receiver = startReceiver();
      const created = await service.call("/api/webhooks", {
        method: "POST",
        json: { url: receiver.url, types: ["user.*"] },
      });
      webhook = await created.json();
    });
    beforeEach(() => {
      receiver.received.length = 0;
    });
    afterAll(async () => {
      await service.stop();
      await receiver.stop();
    });

    const path = (end = "") => `/api/webhooks/${webhook.id}${end}`;
    const list = async (query = ""): Promise<Delivery[]> =>
      (await service.call(path(`/deliveries${query}`))).json();
    const typeOf = async (response: Response) => {
      const { type, errors }: { type: string; errors?: { pointer?: string; parameter?: string }[] } =
        await response.json();
      return [
        response.status,
        type.replace("/problems/", ""),
        ...(errors ?? []).map((error) => error.pointer ?? error.parameter),
      ];
    };

    test("are listed newest first, in pages, with their attempts", async () => {
      for (const name of ["Ada", "Bob", "Cy"]) await service.roster.users.create({ name });
      const deliveries = await until(async () => {
        const found = await list();
        return found.length === 3 ? found : undefined;
      });
      expect(deliveries[0]).toEqual({
        id: expect.any(String),
        type: "user.created",
        subject: { type: "user", id: 3 },
        state: "delivered",
        attempts: [{ time: expect.any(String), status: 204, durationMs: expect.any(Number), error: null }],
        nextAttemptAt: null,
      });
      const ids = deliveries.map(({ id }) => id);
      expect(ids).toEqual([...ids].sort().reverse());
      const first = await service.call(path("/deliveries?limit=2"));
      const [next = ""] = /(?<=<)[^>]+/.exec(first.headers.get("link") ?? "") ?? [];
      const second = await service.call(next);
      expect(second.headers.get("link")).toBeNull();
      expect([...(await first.json()), ...(await second.json())]).toEqual(deliveries);
      for (const { body, headers } of receiver.received) {
        expect(await verifyWebhook({ body, headers }, webhook.secret)).toMatchObject({
          type: "user.created",
        });
      }
    });

    test("reject invalid parameters", async () => {
      expect(await typeOf(await service.call(path("/deliveries?limit=0&after=x&q=1")))).toEqual([
        ...[400, "invalid-query"],
        ...["q", "limit", "after"],
      ]);
      expect(await typeOf(await service.call(path("/deliveries?state=lost")))).toEqual([
        ...[400, "invalid-query", "state"],
      ]);
      for (const hours of ["0", "721", "x"]) {
        const response = await service.call(path(`/attempts?hours=${hours}`));
        expect(await typeOf(response)).toEqual([400, "invalid-query", "hours"]);
      }
      const known = (await list())[0]?.id;
      for (const end of ["/deliveries", `/deliveries/${known}`, "/attempts"]) {
        const missing = await service.call(`/api/webhooks/999${end}`);
        expect(await typeOf(missing)).toEqual([404, "webhook-not-found"]);
      }
    });

    test("are listed by state, and counted by hour", async () => {
      expect((await list("?state=delivered")).map(({ state }) => state)).toEqual(Array(3).fill("delivered"));
      expect(await list("?state=failed")).toEqual([]);
      const page = await service.call(path("/deliveries?state=delivered&limit=2"));
      const [next = ""] = /(?<=<)[^>]+/.exec(page.headers.get("link") ?? "") ?? [];
      const rest: Delivery[] = await (await service.call(next)).json();
      expect([new URL(next).searchParams.get("state"), rest.length]).toEqual(["delivered", 1]);
      const { hours }: AttemptHistory = await (await service.call(path("/attempts?hours=48"))).json();
      expect(hours).toHaveLength(48);
      const sum = (key: "accepted" | "failed") => hours.reduce((total, hour) => total + hour[key], 0);
      expect([sum("accepted"), sum("failed")]).toEqual([3, 0]);
      const begins = hours.map(({ hour }) => Date.parse(hour));
      expect(begins).toEqual(begins.map((_, index) => (begins[0] ?? 0) + index * 3_600_000));
    });

    test("show the request as it was sent, and nothing of a response from a private address", async () => {
      receiver.respond = () => new Response("internal details", { status: 200 });
      const [delivery] = await list();
      await service.call(path(`/deliveries/${delivery?.id}/resend`), { method: "POST" });
      await until(async () => (await list())[0]?.attempts.length === 2);
      receiver.respond = () => new Response(null, { status: 204 });
      const response = await service.call(path(`/deliveries/${delivery?.id}`));
      const details: DeliveryDetails = await response.json();
      const [sent] = receiver.received;
      expect(details).toMatchObject({
        id: delivery?.id,
        state: "delivered",
        request: { url: receiver.url, exact: true, body: sent?.body },
        response: null,
        storesResponses: true,
      });
      expect(details.request?.headers).toEqual(Object.fromEntries(sent?.headers ?? []));
      expect(JSON.stringify(details)).not.toContain("whsec_");
      for (const id of ["00000000000", "x"]) {
        const missing = await service.call(path(`/deliveries/${id}`));
        expect(await typeOf(missing)).toEqual([404, "delivery-not-found"]);
      }
    });

    test("can be sent again", async () => {
      const [delivery] = await list();
      const response = await service.call(path(`/deliveries/${delivery?.id}/resend`), { method: "POST" });
      expect(response.status).toBe(202);
      expect(await response.json()).toMatchObject({ id: delivery?.id, state: "waiting" });
      await until(() => receiver.received.length === 1);
      expect(receiver.received[0]?.headers.get("webhook-id")).toBe(delivery?.id ?? "");
      await until(async () => (await list())[0]?.attempts.length === 3);
      for (const id of ["00000000000", "x"]) {
        const missing = await service.call(path(`/deliveries/${id}/resend`), { method: "POST" });
        expect(await typeOf(missing)).toEqual([404, "delivery-not-found"]);
      }
    });

    test("of a time range can be sent again", async () => {
      const deliveries = await list();
      const from = new Date(Date.now() - 60_000).toISOString();
      const response = await service.call(path("/replay"), { method: "POST", json: { from } });
      expect([response.status, await response.json()]).toEqual([202, { from, to: expect.any(String) }]);
      await until(() => receiver.received.length === 3);
      const ids = receiver.received.map(({ headers }) => headers.get("webhook-id") ?? "");
      expect(ids.sort()).toEqual(deliveries.map(({ id }) => id).sort());
    });

    test.each([
      [[], [""]],
      [{}, [""]],
      [{ to: "2026-11-16T08:00:00Z" }, ["/from"]],
      [{ from: 1, to: "yesterday", "a/b": 1 }, ["/from", "/to", "/a~1b"]],
      [{ from: "2026-11-16T08:00:00Z", to: "2026-11-16T08:00:00Z" }, ["/from"]],
    ])("reject the time range %j", async (body, pointers) => {
      const response = await service.call(path("/replay"), { method: "POST", json: body });
      expect(await typeOf(response)).toEqual([422, "invalid-webhook", ...pointers]);
    });

    test("include a sample, whose outcome the caller gets", async () => {
      const sendSample = async () => (await service.call(path("/test"), { method: "POST" })).json();
      expect(await sendSample()).toEqual({
        delivered: true,
        status: 204,
        durationMs: expect.any(Number),
        error: null,
      });
      const { body, headers } = receiver.received[0] ?? { body: "", headers: new Headers() };
      expect(await verifyWebhook({ body, headers }, webhook.secret)).toMatchObject({
        type: "webhook.test",
        data: {
          type: "webhook.test",
          subject: { type: "webhook", id: webhook.id },
          record: { url: receiver.url },
        },
      });
      expect(body).not.toContain("whsec_");
      receiver.respond = () => new Response("internal details", { status: 500 });
      expect(await sendSample()).toMatchObject({
        delivered: false,
        status: 500,
        error: "The receiver answered 500.",
      });
      receiver.respond = () => new Response(null, { status: 204 });
      const missing = await service.call("/api/webhooks/999/test", { method: "POST" });
      expect(await typeOf(missing)).toEqual([404, "webhook-not-found"]);
    });

    test("are counted in the metrics", async () => {
      const metrics = await (await service.call("/metrics")).text();
      expect(metrics).toMatch(/^roster_webhook_deliveries_total\{outcome="delivered"\} [1-9]/m);
      expect(metrics).toMatch(/^roster_webhook_deliveries_waiting 0$/m);
    });

    test("are not sent again while the webhook is inactive", async () => {
      const [delivery] = await list();
      await service.call(path(), { method: "PATCH", json: { active: false } });
      const resent = await service.call(path(`/deliveries/${delivery?.id}/resend`), { method: "POST" });
      expect(await typeOf(resent)).toEqual([409, "webhook-inactive"]);
      const replayed = await service.call(path("/replay"), {
        method: "POST",
        json: { from: "2026-01-16T08:00:00Z" },
      });
      expect(await typeOf(replayed)).toEqual([409, "webhook-inactive"]);
    });
  });
});
