import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { anonymousOrigin } from "../../../src/domain/caller.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { Delivery, DeliveryReport, DeliveryStore } from "../../../src/domain/webhooks/delivery-store.ts";
import { until } from "../../support/until.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

const LEASE_MS = 60_000;

/** What every engine must do with deliveries. */
export function deliveryContract(engine: string, open: OpenStore): void {
  describe(`${engine}: deliveries`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    let deliveries: DeliveryStore;
    let count = 0;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
      deliveries = store.deliveries;
    });
    afterAll(() => opened.destroy());

    const createWebhook = async () => {
      const settings = { url: "https://hooks.example/", types: ["*"], description: "", filter: null };
      const secret = `whsec_${engine}-${++count}`;
      return store.webhooks.create({ ...settings, active: true, secret }, anonymousOrigin);
    };
    const delivery = (position: number, fields: Partial<Delivery> = {}): Delivery => ({
      position,
      type: "user.created",
      subjectId: 7,
      state: "delivered",
      attempts: [{ time: 1000 + position, code: 200, durationMs: 12, error: null }],
      failures: 0,
      nextAttemptAt: null,
      ...fields,
    });
    const waiting: Partial<Delivery> = {
      state: "waiting",
      attempts: [{ time: 5, code: null, durationMs: 3, error: "The host refused the connection." }],
      failures: 1,
      nextAttemptAt: 9000,
    };
    const report = (webhookId: number, fields: Partial<DeliveryReport> = {}): DeliveryReport => ({
      webhookId,
      deliveries: [],
      knownPosition: Number.MAX_SAFE_INTEGER,
      position: 0,
      failingSince: null,
      pausedUntil: 0,
      replay: undefined,
      ...fields,
    });
    const record = async (one: DeliveryReport, node = "a") =>
      (await deliveries.record([one], node, LEASE_MS)).includes(one.webhookId);
    const workOf = async (id: number) =>
      (await deliveries.listWork()).find(({ webhookId }) => webhookId === id);

    test("one node at a time has the lease of a webhook", async () => {
      const [first, second] = [await createWebhook(), await createWebhook()];
      const ids = [first.id, second.id];
      expect(await deliveries.lease([first.id], "a", LEASE_MS)).toEqual([first.id]);
      expect(await deliveries.lease(ids, "b", LEASE_MS)).toEqual([second.id]);
      expect([...(await deliveries.lease(ids, "a", LEASE_MS))]).toEqual([first.id]);
      expect(await workOf(first.id)).toMatchObject({ node: "a", nextAttemptAt: null, replay: null });
      await deliveries.release(ids, "a");
      expect(await workOf(first.id)).toMatchObject({ node: null });
      expect(await workOf(second.id)).toMatchObject({ node: "b" });
      expect(await deliveries.lease([first.id], "b", LEASE_MS)).toEqual([first.id]);
      expect(await deliveries.lease([999_999], "a", LEASE_MS)).toEqual([]);
    });

    test("a lease that is not renewed passes to another node, and the first one can record nothing", async () => {
      const { id, position } = await createWebhook();
      await deliveries.lease([id], "a", 20);
      await until(async () => (await deliveries.lease([id], "b", LEASE_MS)).length > 0);
      const late = report(id, { position: position + 5, deliveries: [delivery(position + 5)] });
      expect(await record(late)).toBe(false);
      expect(await deliveries.list(id, undefined, 10)).toEqual([]);
      expect(await store.webhooks.read(id)).toMatchObject({ position });
      expect(await record(late, "b")).toBe(true);
      expect(await store.webhooks.read(id)).toMatchObject({ position: position + 5 });
    });

    test("recording stores deliveries, the position, the failure and the pause together", async () => {
      const { id, position } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      const [done, failed] = [delivery(position + 1), delivery(position + 2, waiting)];
      const blocked = delivery(position + 3, { ...waiting, attempts: [], failures: 0, nextAttemptAt: null });
      const recorded = [done, failed, blocked];
      const first = { position: position + 1, failingSince: 77, pausedUntil: 88, deliveries: recorded };
      expect(await record(report(id, first))).toBe(true);
      expect(await store.webhooks.read(id)).toMatchObject({ position: position + 1, failingSince: 77 });
      expect(await workOf(id)).toMatchObject({ node: "a", nextAttemptAt: 9000, pausedUntil: 88 });
      expect(await deliveries.list(id, undefined, 10)).toEqual([blocked, failed, done]);
      expect(await deliveries.list(id, position + 3, 1)).toEqual([failed]);
      expect(await deliveries.listOpen(id, position + 9)).toEqual([failed, blocked]);
      expect(await deliveries.listOpen(id, position)).toEqual([done, failed, blocked]);
      expect(await deliveries.countWaiting()).toBeGreaterThanOrEqual(2);
      const delivered = delivery(position + 2);
      expect(await record(report(id, { deliveries: [delivered] }))).toBe(true);
      // An older position does not replace a newer one.
      expect(await store.webhooks.read(id)).toMatchObject({ position: position + 1, failingSince: null });
      expect(await deliveries.listOpen(id, position + 9)).toEqual([blocked]);
    });

    test("nothing waits for a webhook that is not active", async () => {
      const { id, position } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      await record(report(id, { deliveries: [delivery(position + 1, waiting)] }));
      await store.webhooks.update(id, { active: false }, undefined, anonymousOrigin);
      const [done, failed] = [delivery(position + 2), delivery(position + 3, waiting)];
      expect(await record(report(id, { deliveries: [done, failed] }))).toBe(true);
      await store.webhooks.update(id, { active: true }, undefined, anonymousOrigin);
      const stored = await deliveries.list(id, undefined, 10);
      // What waited before still waits.
      expect(stored.map((each) => [each.position - position, each.state])).toEqual([
        [2, "delivered"],
        [1, "waiting"],
      ]);
    });

    test("a node that does not know that a webhook was activated again records nothing", async () => {
      const { id, position } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      await store.webhooks.update(id, { active: false }, undefined, anonymousOrigin);
      const activated = await store.webhooks.update(id, { active: true }, undefined, anonymousOrigin);
      const late = { position: position + 1, deliveries: [delivery(position + 1, waiting)] };
      expect(await record(report(id, { ...late, knownPosition: position }))).toBe(false);
      expect(await deliveries.list(id, undefined, 10)).toEqual([]);
      expect(await record(report(id, { ...late, knownPosition: activated.position }))).toBe(true);
      expect(await deliveries.list(id, undefined, 10)).toHaveLength(1);
    });

    test("the reports of several webhooks are recorded together, except those of leases that another node has", async () => {
      const [first, lost, third] = [await createWebhook(), await createWebhook(), await createWebhook()];
      await deliveries.lease([first.id, third.id], "a", LEASE_MS);
      await deliveries.lease([lost.id], "b", LEASE_MS);
      const reports = [first, lost, third].map(({ id, position }, index) =>
        report(id, {
          position: position + 10 + index,
          failingSince: index,
          pausedUntil: 100 + index,
          deliveries: [delivery(position + 1), delivery(position + 2, waiting)],
        }),
      );
      expect([...(await deliveries.record(reports, "a", LEASE_MS))].sort()).toEqual(
        [first.id, third.id].sort(),
      );
      for (const [index, { id, position }] of [first, lost, third].entries()) {
        const isRecorded = id !== lost.id;
        expect(await store.webhooks.read(id)).toMatchObject(
          isRecorded
            ? { position: position + 10 + index, failingSince: index }
            : { position, failingSince: null },
        );
        expect(await workOf(id)).toMatchObject({
          node: isRecorded ? "a" : "b",
          pausedUntil: isRecorded ? 100 + index : 0,
        });
        expect(await deliveries.list(id, undefined, 10)).toEqual(
          isRecorded ? [delivery(position + 2, waiting), delivery(position + 1)] : [],
        );
      }
      expect(await deliveries.record([], "a", LEASE_MS)).toEqual([]);
    });

    test("resending makes a delivery due again", async () => {
      const { id, position } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      const failed = delivery(position + 1, {
        ...waiting,
        state: "failed",
        failures: 10,
        nextAttemptAt: null,
      });
      await record(report(id, { deliveries: [failed] }));
      const resent: Delivery = { ...failed, state: "waiting", failures: 0, nextAttemptAt: 4000 };
      expect(await deliveries.resend(id, position + 1, 4000)).toEqual(resent);
      expect(await workOf(id)).toMatchObject({ nextAttemptAt: 4000 });
      expect(await deliveries.resend(id, position + 2, 4000)).toBeUndefined();
    });

    test("a replay is kept until it has finished, and a later one replaces it", async () => {
      const { id } = await createWebhook();
      const replay = { from: 10, to: 20, after: null };
      await deliveries.replay(id, replay);
      expect(await workOf(id)).toMatchObject({ node: null, replay });
      await deliveries.lease([id], "a", LEASE_MS);
      const moved = { ...replay, after: 15_000, finished: false };
      await record(report(id, { replay: moved }));
      expect(await workOf(id)).toMatchObject({ replay: { ...replay, after: 15_000 } });
      const other = { from: 30, to: 40, after: null };
      await deliveries.replay(id, other);
      await record(report(id, { replay: { ...moved, finished: true } }));
      expect(await workOf(id)).toMatchObject({ replay: other });
      await record(report(id, { replay: { ...other, finished: true } }));
      expect(await workOf(id)).toMatchObject({ replay: null });
    });

    test("removes old finished deliveries, and keeps waiting ones", async () => {
      const { id } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      const stored = [1, 2, 3, 4, 5, 6].map((position) => delivery(position, position === 2 ? waiting : {}));
      await record(report(id, { deliveries: stored }));
      const positions = async () =>
        (await deliveries.list(id, undefined, 10)).map(({ position }) => position);
      expect(await deliveries.removeOldest(id, { since: 0, max: 4 })).toBe(1);
      expect(await positions()).toEqual([6, 5, 4, 3, 2]);
      expect(await deliveries.removeOldest(id, { since: 1005, max: 4 })).toBe(2);
      expect(await positions()).toEqual([6, 5, 2]);
      expect(await deliveries.removeOldest(id, { since: 1005, max: 4 })).toBe(0);
    });

    test("deleting a webhook deletes its deliveries and its lease", async () => {
      const { id } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      await record(report(id, { deliveries: [delivery(1, waiting)] }));
      await store.webhooks.remove(id, undefined, anonymousOrigin);
      expect(await workOf(id)).toBeUndefined();
      expect(await deliveries.list(id, undefined, 10)).toEqual([]);
      expect(await record(report(id, { deliveries: [delivery(1)] }))).toBe(false);
    });
  });
}
