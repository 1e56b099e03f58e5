import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { anonymousOrigin } from "../../../src/domain/caller.ts";
import { eventTime } from "../../../src/domain/events/event.ts";
import type { StoredWebhook } from "../../../src/domain/webhooks/webhook-store.ts";
import type { Engine } from "../../support/engines.ts";
import { until } from "../../support/until.ts";
import { type DeliveryNode, startNode } from "./delivery-nodes.ts";
import { type Delivery as Received, type Receiver, startReceiver } from "./receiver.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const retries = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * SECOND);
const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status: code, headers });

interface Message {
  readonly type: string;
  readonly data: {
    readonly id: string;
    readonly subject: { readonly id: number };
    readonly version: number;
    readonly record: object | null;
  };
}
const messageOf = ({ body }: Received): Message => JSON.parse(body);
const idsOf = (received: readonly Received[]) =>
  received.map(({ headers }) => headers.get("webhook-id") ?? "");

/** What deliveries do, on any engine. */
export function deliverySuite(engine: Engine): void {
  describe("deliveries", () => {
    let node: DeliveryNode;
    let receiver: Receiver;
    let webhook: StoredWebhook;
    beforeAll(async () => {
      node = await startNode(engine, 400);
      receiver = startReceiver();
    });
    beforeEach(() => {
      receiver.received.length = 0;
      receiver.respond = status(204);
    });
    afterEach(() =>
      node.store.webhooks.remove(webhook.id, undefined, anonymousOrigin).catch(() => undefined),
    );
    afterAll(async () => {
      await node.stop();
      await receiver.stop();
    });

    // A node notices within a second that a webhook was deleted: each one has its own path.
    let webhooks = 0;
    const start = async (fields: Partial<StoredWebhook> = {}) => {
      webhook = await node.createWebhook({ url: `${receiver.url}/${++webhooks}`, ...fields });
      return webhook;
    };
    const inbox = () => receiver.received.filter(({ path }) => path === `/hook/${webhooks}`);
    const received = (count: number) =>
      until(
        () => inbox().length >= count,
        () => `${inbox().length} of ${count} ${node.log}`,
      );
    const states = async () => (await node.deliveries(webhook)).map(({ state }) => state);
    const recorded = (...expected: string[]) =>
      until(
        async () => (await states()).join() === expected.join(),
        () => node.log,
      );

    test("send every event once, signed, in the order of each user, and record them", async () => {
      await node.createUsers(1);
      const { secret } = await start();
      const ids = await node.createUsers(20);
      await Promise.all(
        ids.map(async (id) => {
          for (const level of ["1", "2", "3"]) await node.update(id, { level });
        }),
      );
      await received(80);
      await recorded(...Array.from({ length: 80 }, () => "delivered"));
      const messages = inbox().map(messageOf);
      for (const id of ids) {
        const versions = messages
          .filter(({ data }) => data.subject.id === id)
          .map(({ data }) => data.version);
        expect(versions).toEqual([1, 2, 3, 4]);
      }
      for (const { body, headers } of inbox()) {
        expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toEqual(JSON.parse(body));
      }
      expect(new Set(idsOf(inbox())).size).toBe(80);
      expect(idsOf(inbox()).sort()).toEqual(messages.map(({ data }) => data.id).sort());
      await until(
        async () =>
          (await node.store.webhooks.read(webhook.id))?.position === (await node.store.events.last()),
      );
    });

    test("contain only events of the types and records that the webhook asks for", async () => {
      await start({ types: ["user.updated"], filter: 'level eq "3"' });
      const [id = 0] = await node.createUsers(3);
      await node.update(id, { level: "2" });
      await node.update(id, { level: "3" });
      await received(1);
      await recorded("delivered");
      expect(inbox().map(messageOf)).toMatchObject([{ type: "user.updated", data: { version: 3 } }]);
    });

    test("are retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then fail", async () => {
      receiver.respond = status(500);
      await start();
      await node.createUsers(1);
      const planned: number[] = [];
      for (const [index, delay] of retries.entries()) {
        await received(index + 1);
        const { nextAttemptAt, attempts } = await until(async () => {
          const [delivery] = await node.deliveries(webhook);
          return delivery?.attempts.length === index + 1 ? delivery : undefined;
        });
        planned.push(Math.round(((nextAttemptAt ?? 0) - (attempts.at(-1)?.time ?? 0)) / SECOND) * SECOND);
        node.clock.jump(delay);
      }
      await received(10);
      await recorded("failed");
      expect(planned).toEqual(retries);
      const [delivery] = await node.deliveries(webhook);
      expect(delivery).toMatchObject({ failures: 10, nextAttemptAt: null });
      expect(delivery?.attempts[9]).toMatchObject({ code: 500, error: "The receiver answered 500." });
      expect(new Set(idsOf(inbox())).size).toBe(1);
    });

    test("keep the order of a user while an earlier event waits, and do not delay other users", async () => {
      const [first = 0, second = 0] = await node.createUsers(2);
      receiver.respond = (delivery) =>
        new Response(null, { status: messageOf(delivery).data.subject.id === first ? 503 : 204 });
      await start();
      for (const level of ["1", "2", "3"]) await node.update(first, { level });
      for (const level of ["1", "2", "3"]) await node.update(second, { level });
      await recorded("delivered", "delivered", "delivered", "waiting", "waiting", "waiting");
      expect((await node.deliveries(webhook)).map(({ nextAttemptAt }) => nextAttemptAt !== null)).toEqual([
        ...[false, false, false],
        ...[false, false, true],
      ]);
      receiver.respond = status(204);
      node.clock.jump(6 * SECOND);
      await recorded(...Array.from({ length: 6 }, () => "delivered"));
      const delivered = inbox()
        .map(messageOf)
        .filter(({ data }) => data.subject.id === first);
      expect(delivered.map(({ data }) => data.version)).toEqual([2, 2, 3, 4]);
    });

    test("honour Retry-After, for the whole webhook", async () => {
      receiver.respond = status(429, { "retry-after": "3600" });
      await start();
      await node.createUsers(1);
      await recorded("waiting");
      receiver.respond = status(204);
      await node.createUsers(2);
      node.clock.jump(HOUR / 2);
      await node.clock.advance(3 * SECOND);
      expect(inbox()).toHaveLength(1);
      node.clock.jump(HOUR / 2 + SECOND);
      await recorded("delivered", "delivered", "delivered");
    });

    test("continue with the oldest event that is kept if events were removed before they could be sent", async () => {
      receiver.respond = status(429, { "retry-after": "3600" });
      await start();
      await node.createUsers(1);
      await recorded("waiting");
      receiver.respond = status(204);
      await until(async () => (await node.store.deliveries.listWork()).every((work) => work.node === null));
      const removeAllButLast = () => node.store.events.removeOldest({ before: 0, max: 1 });
      {
        // The feed reads no event before it is removed.
        using _ = node.clock.stop();
        await node.createUsers(3);
        // On PostgreSQL, this gives the events their positions: only then can they be removed.
        await node.store.events.last();
        while ((await removeAllButLast()) > 0);
      }
      const last = await node.store.events.last();
      node.clock.jump(HOUR + SECOND);
      await recorded("delivered", "failed");
      const [sent, removed] = await node.deliveries(webhook);
      expect(sent?.position).toBe(last);
      expect(removed?.attempts.at(-1)?.error).toBe("The event is no longer kept.");
      expect(inbox()).toHaveLength(2);
      const warning = "events expired before they were delivered to a webhook";
      expect(node.log.filter((line) => line.startsWith(warning))).toHaveLength(1);
    });

    test("to a receiver that does not answer fail after the time limit, and are retried", async () => {
      receiver.respond = () => new Promise<Response>(() => undefined);
      await start();
      await node.createUsers(1);
      await recorded("waiting");
      const [delivery] = await node.deliveries(webhook);
      expect(delivery?.attempts).toMatchObject([{ code: null, error: "The host did not respond in time." }]);
      receiver.respond = status(200);
      node.clock.jump(6 * SECOND);
      await recorded("delivered");
    });

    test("end with 410: the webhook is disabled", async () => {
      receiver.respond = status(410);
      await start();
      await node.createUsers(1);
      await until(async () => (await node.store.webhooks.read(webhook.id))?.active === false);
      await recorded("failed");
      expect(await node.store.webhooks.read(webhook.id)).toMatchObject({ disabledReason: "gone" });
      const { events = [] } =
        (await node.store.events.read({ subject: { type: "webhook", id: webhook.id }, limit: 10 })) ?? {};
      expect(JSON.parse(events.at(-1)?.json ?? "{}")).toMatchObject({
        type: "webhook.disabled",
        actor: { type: "system" },
        record: { active: false, disabledReason: "gone" },
      });
      await node.createUsers(1);
      await node.clock.advance(3 * SECOND);
      expect(inbox()).toHaveLength(1);
    });

    test("disable the webhook after five days of nothing but failures", async () => {
      receiver.respond = status(500);
      await start();
      await node.createUsers(1);
      await recorded("waiting");
      expect(await node.store.webhooks.read(webhook.id)).toMatchObject({
        active: true,
        disabledReason: null,
      });
      node.clock.jump(5 * 24 * HOUR);
      await until(async () => (await node.store.webhooks.read(webhook.id))?.disabledReason === "failing");
    });

    test("are sent again on request, with the same id", async () => {
      await start();
      await node.createUsers(2);
      await recorded("delivered", "delivered");
      const [newest] = await node.deliveries(webhook);
      await node.store.deliveries.resend(webhook.id, newest?.position ?? 0, Date.now());
      await received(3);
      const ids = idsOf(inbox());
      expect(ids[2]).toBe(ids[1] ?? "");
      await until(async () => (await node.deliveries(webhook))[0]?.attempts.length === 2);
      await recorded("delivered", "delivered");
    });

    test("that wait are sent now on request, after earlier ones of the same user", async () => {
      receiver.respond = status(503);
      const [id = 0] = await node.createUsers(1);
      await start();
      for (const level of ["1", "2", "3"]) await node.update(id, { level });
      await recorded("waiting", "waiting", "waiting");
      const [, second, first] = await node.deliveries(webhook);
      const resend = () => node.store.deliveries.resend(webhook.id, second?.position ?? 0, node.clock.now());
      // The first one fails again: the later ones wait for its retry.
      expect(await resend()).toMatchObject({ state: "waiting", nextAttemptAt: null });
      await received(2);
      await until(async () => (await node.deliveries(webhook))[2]?.attempts.length === 2);
      const planned = (await node.deliveries(webhook)).map(({ nextAttemptAt }) => nextAttemptAt !== null);
      expect(planned).toEqual([false, false, true]);
      receiver.respond = status(204);
      await resend();
      await recorded("delivered", "delivered", "delivered");
      const versions = inbox().map((delivery) => messageOf(delivery).data.version);
      expect(versions).toEqual([2, 2, 2, 3, 4]);
      expect(first?.attempts).toHaveLength(1);
    });

    test("that were finished are sent again after a waiting one of the same user, and wait for it if it fails", async () => {
      const [id = 0] = await node.createUsers(1);
      await start();
      await node.update(id, { level: "1" });
      await recorded("delivered");
      await node.update(id, { level: "2" });
      await recorded("delivered", "delivered");
      receiver.respond = status(503);
      const [later, earlier] = await node.deliveries(webhook);
      const resend = (position = 0) => node.store.deliveries.resend(webhook.id, position, node.clock.now());
      await resend(earlier?.position);
      await until(async () => (await node.deliveries(webhook))[1]?.attempts.length === 2);
      await resend(later?.position);
      await until(async () => (await node.deliveries(webhook))[1]?.attempts.length === 3);
      await recorded("waiting", "waiting");
      // Nothing is due until the retry of the earlier one.
      await until(async () => (await node.deliveries(webhook))[0]?.nextAttemptAt === null);
      receiver.respond = status(204);
      node.clock.jump(6 * SECOND);
      await recorded("delivered", "delivered");
      const versions = inbox().map((delivery) => messageOf(delivery).data.version);
      expect(versions).toEqual([2, 3, 2, 2, 2, 3]);
    });

    test("keep the beginning of the last response, and count their attempts by hour", async () => {
      receiver.respond = () => new Response("Upgrading <b>", { status: 503 });
      await start();
      const [id = 0] = await node.createUsers(1);
      await recorded("waiting");
      const [delivery] = await node.deliveries(webhook);
      const position = delivery?.position ?? 0;
      const time = delivery?.attempts[0]?.time ?? 0;
      const readResponse = () => node.store.deliveries.readResponse(webhook.id, position);
      expect(await readResponse()).toEqual({ time, body: "Upgrading <b>", isCut: false });
      receiver.respond = () => new Response("日".repeat(3000));
      node.clock.jump(6 * SECOND);
      await recorded("delivered");
      expect(await readResponse()).toMatchObject({ body: "日".repeat(1365), isCut: true });
      const attempts = await node.store.deliveries.readAttempts(webhook.id, 0);
      const sum = (key: "accepted" | "failed") => attempts.reduce((total, hour) => total + hour[key], 0);
      expect([sum("accepted"), sum("failed"), attempts[0]?.hour]).toEqual([1, 1, Math.floor(time / HOUR)]);
      await node.store.users.remove(id);
      await node.store.deletedUsers.purge(id);
      expect(await readResponse()).toBeUndefined();
    });

    test("have requests that can be built again, byte by byte, until something that is in them changes", async () => {
      await start();
      const [id = 0] = await node.createUsers(1);
      await received(1);
      await recorded("delivered");
      const rebuild = async () => {
        const [delivery] = await node.deliveries(webhook);
        return delivery && node.rebuild(webhook, delivery);
      };
      const [sent] = inbox();
      expect(await rebuild()).toEqual({
        url: webhook.url,
        headers: Object.fromEntries(sent?.headers ?? []),
        body: sent?.body ?? "",
        isExact: true,
      });
      // The secret of then is the previous one.
      const other = createOther(webhook.secret);
      const until24h = node.clock.now() + 24 * HOUR;
      await node.store.webhooks.rotate(webhook.id, other, until24h, undefined, anonymousOrigin);
      expect(await rebuild()).toMatchObject({
        headers: { "webhook-signature": sent?.headers.get("webhook-signature") },
        isExact: true,
      });
      await node.store.users.remove(id);
      await node.store.deletedUsers.purge(id);
      const erased = await until(async () => {
        const deliveries = await node.deliveries(webhook);
        const created = deliveries.find(({ type }) => type === "user.created");
        return created && node.rebuild(webhook, created);
      });
      expect(erased).toMatchObject({ isExact: false });
      expect(erased?.headers).not.toHaveProperty("webhook-signature");
      expect(JSON.parse(erased?.body ?? "{}")).toMatchObject({ data: { record: null } });
      const url = `${webhook.url}/moved`;
      await node.store.webhooks.update(webhook.id, { url }, undefined, anonymousOrigin);
      expect(await rebuild()).toMatchObject({ url, isExact: false });
    });

    test("of a time range are sent again by a replay", async () => {
      const [id = 0] = await node.createUsers(1);
      await start();
      await node.update(id, { level: "1" });
      await recorded("delivered");
      const from = eventTime((await node.deliveries(webhook))[0]?.position ?? 0);
      await Bun.sleep(2);
      await node.update(id, { level: "2" });
      await recorded("delivered", "delivered");
      const to = eventTime((await node.deliveries(webhook))[0]?.position ?? 0);
      receiver.received.length = 0;
      await node.store.deliveries.replay(webhook.id, { from, to, after: null });
      await received(1);
      await until(async () =>
        (await node.store.deliveries.listWork()).every(
          ({ webhookId, replay }) => webhookId !== webhook.id || !replay,
        ),
      );
      expect(inbox().map(messageOf)).toMatchObject([{ data: { version: 2 } }]);
    });

    test("are signed with both secrets after a rotation", async () => {
      const { secret } = await start();
      await node.createUsers(1);
      await received(1);
      const other = createOther(secret);
      await node.store.webhooks.rotate(
        webhook.id,
        other,
        Date.now() + 1000 * 24 * HOUR,
        undefined,
        anonymousOrigin,
      );
      await until(async () => {
        await node.createUsers(1);
        return inbox().at(-1)?.headers.get("webhook-signature")?.includes(" ");
      });
      const { body, headers } = inbox().at(-1) ?? { body: "", headers: new Headers() };
      // The clock of the node is ahead: the time of the signature is not checked.
      const id = headers.get("webhook-id") ?? "";
      const time = new Date(Number(headers.get("webhook-timestamp")) * 1000);
      const signatures = [other, secret].map((each) => new Webhook(each).sign(id, time, body));
      expect(headers.get("webhook-signature")).toBe(signatures.join(" "));
    });
  });

  test("a webhook whose receiver refuses connections is paused, and gets everything in order afterwards", async () => {
    const node = await startNode(engine);
    // Nothing else listens at this address.
    const hostname = "127.0.0.83";
    const closed = startReceiver({ hostname });
    await closed.stop();
    const ids = await node.createUsers(5);
    const webhook = await node.createWebhook({ url: closed.url });
    const pausedUntil = async () => {
      const work = await node.store.deliveries.listWork();
      return Number(work.find(({ webhookId }) => webhookId === webhook.id)?.pausedUntil);
    };
    const paused = () => until(async () => (await pausedUntil()) > node.clock.now());
    const recordedAttempts = async () =>
      (await node.deliveries(webhook)).flatMap(({ attempts }) => attempts.map(({ error }) => error));
    const levels = ["1", "2", "3"];
    for (const level of levels) await Promise.all(ids.map((id) => node.update(id, { level })));
    await paused();
    // The attempts that ran when the first one was refused: at most one for each user.
    const first = node.outcomes.length;
    expect(first).toBeLessThanOrEqual(ids.length);
    await node.clock.advance(3 * SECOND);
    expect(node.outcomes).toHaveLength(first);
    // The deliveries of all users are due, and one of them is tried.
    node.clock.jump(6 * SECOND);
    await until(() => node.outcomes.length > first);
    await paused();
    await node.clock.advance(3 * SECOND);
    expect(node.outcomes).toHaveLength(first + 1);
    expect(await recordedAttempts()).toEqual(
      Array.from({ length: first + 1 }, () => "The host refused the connection."),
    );

    const opened = startReceiver({ hostname, port: Number(new URL(closed.url).port) });
    node.clock.jump(10 * 60 * SECOND);
    const total = ids.length * levels.length;
    await until(
      async () =>
        (await node.deliveries(webhook)).filter(({ state }) => state === "delivered").length === total,
      () => node.log,
    );
    const messages = opened.received.map(messageOf);
    for (const id of ids) {
      const versions = messages.filter(({ data }) => data.subject.id === id).map(({ data }) => data.version);
      expect(versions).toEqual([2, 3, 4]);
    }
    expect(await recordedAttempts()).toHaveLength(node.outcomes.length);
    await until(async () => (await node.store.webhooks.read(webhook.id))?.failingSince === null);
    await node.stop();
    await opened.stop();
  });

  test.each([
    ["gets purges too", ["user.*"]],
    ["gets no purges", ["user.created", "user.updated"]],
  ] as const)(
    "events that wait in memory while their user is purged are sent without the record, to a webhook that %s",
    async (_, types) => {
      // The first delivery does not end before the test ends it.
      const node = await startNode(engine, 600_000);
      const [receiver, observer] = [startReceiver(), startReceiver()];
      const held = Promise.withResolvers<Response>();
      receiver.respond = () => held.promise;
      const ids = await (async () => {
        // The node reads the webhooks and all events at once.
        using _ = node.clock.stop();
        await node.createWebhook({ url: receiver.url, types });
        await node.createWebhook({ url: observer.url, types: ["user.purged"] });
        const created = await node.createUsers(2);
        for (const id of created) await node.update(id, { level: "secret" });
        return created;
      })();
      await until(
        () => receiver.received.length === 2,
        () => node.log,
      );
      const [kept = 0, purged = 0] = ids;
      await node.store.users.remove(purged, undefined, anonymousOrigin, true);
      await until(
        () => observer.received.length === 1,
        () => node.log,
      );
      receiver.received.length = 0;
      held.resolve(new Response(null, { status: 204 }));
      receiver.respond = status(204);
      const updated = (id: number) =>
        until(
          () =>
            receiver.received
              .map(messageOf)
              .find(({ type, data }) => type === "user.updated" && data.subject.id === id),
          () => node.log,
        );
      expect((await updated(purged)).data).toMatchObject({ version: 2, record: null });
      expect((await updated(kept)).data).toMatchObject({ version: 2, record: { level: "secret" } });
      await node.stop();
      await receiver.stop();
      await observer.stop();
    },
  );

  test("many webhooks share what is read from the feed, and the transactions that record their deliveries", async () => {
    const count = 40;
    // One transaction has room for the deliveries of all webhooks.
    const users = 20;
    const node = await startNode(engine);
    const receiver = startReceiver();
    {
      // The node sees all webhooks at once.
      using _ = node.clock.stop();
      for (let number = 0; number < count; number++) {
        await node.createWebhook({
          url: `${receiver.url}/${number}`,
          filter: number % 2 === 0 ? null : 'name sw "User"',
        });
      }
      node.reads.length = 0;
    }
    await node.createUsers(users);
    const waiting = async () => {
      const found = await Promise.all(
        (await node.store.webhooks.list(0, 100)).map((each) => node.deliveries(each)),
      );
      return found.filter((each) => each.length < users).length;
    };
    await until(async () => receiver.received.length >= count * users && (await waiting()) === 0);
    expect(node.lagSeconds()).toBe(0);
    expect(receiver.received).toHaveLength(count * users);
    // Each webhook alone would read at least once.
    expect(node.reads.length).toBeLessThan(count / 2);
    expect(Math.max(...node.records)).toBeGreaterThan(count / 2);
    await node.stop();
    await receiver.stop();
  });

  test("a receiver that does not respond delays no other webhook", async () => {
    // The deliveries to the silent receiver end later than this test waits for the others.
    const node = await startNode(engine, 600_000);
    const [silent, other] = [startReceiver(), startReceiver()];
    silent.respond = () => new Promise(() => undefined);
    await node.createWebhook({ url: silent.url });
    await node.createUsers(100);
    await until(() => silent.received.length > 0);
    await until(() => node.lagSeconds() > 0);
    await node.createWebhook({ url: other.url });
    await node.createUsers(10);
    await until(() => other.received.length === 10);
    expect(silent.received.length).toBeLessThanOrEqual(32);
    await silent.stop();
    await node.stop();
    await other.stop();
  });
}

const createOther = (secret: string) => `whsec_${Buffer.from(`${secret}-next`).toString("base64")}`;
