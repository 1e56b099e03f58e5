import { afterAll, beforeAll, expect, test } from "bun:test";
import { ApiError, type Client, type RosterEvent } from "../../src/client/index.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { failureOf } from "./support/servers.ts";

let service: TestService;
let webhooks: Client["webhooks"];
beforeAll(async () => {
  service = await startService({ webhookPrivate: "allow" });
  webhooks = service.roster.webhooks;
});
afterAll(() => service.stop());

const input = { url: "https://hooks.example.com/", types: ["user.*"] } as const;

test("a webhook is created with a secret, read, changed, signed with another secret and deleted", async () => {
  const { secret, ...created } = await webhooks.create({ ...input, filter: "level ge 3" });
  expect(secret).toStartWith("whsec_");
  expect(created).toMatchObject({ ...input, filter: "level ge 3", active: true, version: 1 });
  expect(await webhooks.get(created.id)).toEqual(created);
  const paused = await webhooks.update(created.id, { active: false, filter: null }, { ifMatch: 1 });
  expect(paused).toMatchObject({ active: false, filter: null, version: 2 });
  const late = await failureOf(ApiError, webhooks.update(created.id, { active: true }, { ifMatch: 1 }));
  expect(late).toMatchObject({ status: 412, type: "version-mismatch" });
  const rotated = await webhooks.rotate(created.id, { ifMatch: 2 });
  expect(rotated).toMatchObject({ version: 3, previousSecretUntil: expect.any(String) });
  expect(rotated.secret).not.toBe(secret);
  await webhooks.delete(created.id, { ifMatch: 3 });
  const missing = await failureOf(ApiError, webhooks.get(created.id));
  expect(missing).toMatchObject({ status: 404, type: "webhook-not-found" });
});

test("all webhooks are listed, page by page", async () => {
  const ids: number[] = [];
  for (let count = 0; count < 3; count++) ids.push((await webhooks.create(input)).id);
  expect((await webhooks.list({ limit: 2 }).all()).map(({ id }) => id)).toEqual(ids);
  const page = await webhooks.list({ limit: 2 }).page();
  expect(page.webhooks).toHaveLength(2);
  const rest = await webhooks.list(page.next === undefined ? {} : { after: page.next }).page();
  expect(rest).toMatchObject({ webhooks: [{ id: ids[2] }], next: undefined });
});

test("a webhook is tested, and its deliveries are listed and sent again", async () => {
  const received: string[] = [];
  using receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { type }: { type: string } = await request.json();
      received.push(type);
      return new Response(null, { status: 204 });
    },
  });
  const { id } = await webhooks.create({ url: receiver.url.href, types: ["user.*"] });
  expect(await webhooks.test(id)).toMatchObject({ delivered: true, status: 204, error: null });
  await service.roster.users.create({ name: "Ada" });
  const deliveries = () => webhooks.deliveries(id, { limit: 1 }).all();
  await until(async () => (await deliveries())[0]?.state === "delivered");
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ type: "user.created", attempts: [{ status: 204, error: null }] });
  expect((await webhooks.deliveries(id).page()).next).toBeUndefined();
  expect((await webhooks.deliveries(id, { state: "delivered" }).all()).map((each) => each.id)).toEqual([
    delivery?.id ?? "",
  ]);
  expect(await webhooks.deliveries(id, { state: "failed" }).all()).toEqual([]);
  expect(await webhooks.delivery(id, delivery?.id ?? "")).toMatchObject({
    request: { url: receiver.url.href, headers: { "webhook-id": delivery?.id }, exact: true },
    response: null,
    storesResponses: false,
  });
  const { hours } = await webhooks.attempts(id, { hours: 2 });
  expect(hours.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1);
  expect((await webhooks.attempts(id)).hours).toHaveLength(24);
  expect(await webhooks.resend(id, delivery?.id ?? "")).toMatchObject({ id: delivery?.id });
  await until(() => received.length >= 3);
  const from = new Date(Date.now() - 60_000);
  expect(await webhooks.replay(id, { from })).toEqual({ from: from.toISOString(), to: expect.any(String) });
  await until(() => received.length >= 4);
  expect(received).toEqual(["webhook.test", ...Array(3).fill("user.created")]);
  const missing = await failureOf(ApiError, webhooks.resend(id, "00000000000"));
  expect(missing).toMatchObject({ status: 404, type: "delivery-not-found" });
});

test("the type of an event tells that its record is a webhook", async () => {
  const { id } = await webhooks.create(input);
  const urls: string[] = [];
  for await (const event of service.roster.events.list({ subject: `webhook:${id}` })) urls.push(urlOf(event));
  expect(urls).toEqual([input.url]);
});

function urlOf(event: RosterEvent): string {
  return event.type === "webhook.created" ? event.record.url : event.type;
}
