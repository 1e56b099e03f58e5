import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { anonymousOrigin } from "../../../src/domain/caller.ts";
import type { Store } from "../../../src/domain/store.ts";
import type {
  Delivery,
  DeliveryReport,
  DeliveryResponse,
  DeliveryStore,
} from "../../../src/domain/webhooks/delivery-store.ts";
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
      attempts: [],
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
      expect(await deliveries.list(id, { limit: 10 })).toEqual([]);
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
      expect(await deliveries.list(id, { limit: 10 })).toEqual([blocked, failed, done]);
      expect(await deliveries.list(id, { before: position + 3, limit: 1 })).toEqual([failed]);
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
      const stored = await deliveries.list(id, { limit: 10 });
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
      expect(await deliveries.list(id, { limit: 10 })).toEqual([]);
      expect(await record(report(id, { ...late, knownPosition: activated.position }))).toBe(true);
      expect(await deliveries.list(id, { limit: 10 })).toHaveLength(1);
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
        expect(await deliveries.list(id, { limit: 10 })).toEqual(
          isRecorded ? [delivery(position + 2, waiting), delivery(position + 1)] : [],
        );
      }
      expect(await deliveries.record([], "a", LEASE_MS)).toEqual([]);
    });

    test("deliveries are listed by their state, and read one by one", async () => {
      const { id, position } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      const builtFrom = {
        time: 1,
        code: 500,
        durationMs: 1,
        error: "The receiver answered 500.",
        builtFrom: 77,
      };
      const failed = delivery(position + 1, { state: "failed", failures: 10, attempts: [builtFrom] });
      const [done, open] = [delivery(position + 2), delivery(position + 3, waiting)];
      await record(report(id, { deliveries: [failed, done, open] }));
      expect(await deliveries.list(id, { state: "failed", limit: 10 })).toEqual([failed]);
      expect(await deliveries.list(id, { state: "waiting", limit: 10 })).toEqual([open]);
      expect(await deliveries.list(id, { state: "waiting", before: open.position, limit: 10 })).toEqual([]);
      expect(await deliveries.read(id, failed.position)).toEqual(failed);
      expect(await deliveries.read(id, position + 4)).toBeUndefined();
    });

    test("attempts are counted by hour, and old counts are removed", async () => {
      const [{ id }, other] = [await createWebhook(), await createWebhook()];
      await deliveries.lease([id, other.id], "a", LEASE_MS);
      await deliveries.record(
        [
          report(id, { attempts: [{ hour: 10, accepted: 2, failed: 1 }] }),
          report(other.id, { attempts: [{ hour: 10, accepted: 5, failed: 0 }] }),
        ],
        "a",
        LEASE_MS,
      );
      await record(
        report(id, {
          attempts: [
            { hour: 10, accepted: 1, failed: 0 },
            { hour: 12, accepted: 0, failed: 4 },
          ],
        }),
      );
      expect(await deliveries.readAttempts(id, 10)).toEqual([
        { hour: 10, accepted: 3, failed: 1 },
        { hour: 12, accepted: 0, failed: 4 },
      ]);
      expect(await deliveries.readAttempts(id, 11)).toEqual([{ hour: 12, accepted: 0, failed: 4 }]);
      expect(await record(report(id, { attempts: [{ hour: 12, accepted: 9, failed: 9 }] }), "b")).toBe(false);
      expect(await deliveries.removeAttempts(12)).toBe(2);
      expect(await deliveries.removeAttempts(12)).toBe(0);
      expect(await deliveries.readAttempts(id, 0)).toEqual([{ hour: 12, accepted: 0, failed: 4 }]);
      await store.webhooks.remove(id, undefined, anonymousOrigin);
      expect(await deliveries.readAttempts(id, 0)).toEqual([]);
    });

    describe("a stored response", () => {
      const response = (body: string): DeliveryResponse => ({ time: 1000, body, isCut: false });
      const createUser = async () => {
        const { outcome } = await store.users.create({ record: { name: "Ada" } });
        return "user" in outcome ? outcome.user.id : 0;
      };
      const start = async () => {
        const { id, position } = await createWebhook();
        await deliveries.lease([id], "a", LEASE_MS);
        return { id, position };
      };

      test("is replaced by the next one, and deleted with its delivery", async () => {
        const { id, position } = await start();
        const subjectId = await createUser();
        const one = delivery(position + 1, { subjectId });
        const cut = { time: 2000, body: "Zoë \ufffd\n", isCut: true };
        await record(report(id, { deliveries: [{ ...one, response: response("first") }] }));
        expect(await deliveries.readResponse(id, one.position)).toEqual(response("first"));
        await record(report(id, { deliveries: [{ ...one, response: cut }] }));
        await record(report(id, { deliveries: [one] }));
        expect(await deliveries.readResponse(id, one.position)).toEqual(cut);
        expect(await deliveries.readResponse(id, position + 2)).toBeUndefined();
        await deliveries.removeOldest(id, { since: Number.MAX_SAFE_INTEGER, max: 10 });
        expect(await deliveries.readResponse(id, one.position)).toBeUndefined();
        await record(report(id, { deliveries: [{ ...one, response: response("again") }] }));
        await store.webhooks.remove(id, undefined, anonymousOrigin);
        expect(await deliveries.readResponse(id, one.position)).toBeUndefined();
      });

      test("is not stored without its delivery", async () => {
        const { id, position } = await start();
        await store.webhooks.update(id, { active: false }, undefined, anonymousOrigin);
        const subjectId = await createUser();
        const open = { ...delivery(position + 1, { ...waiting, subjectId }), response: response("no") };
        await record(report(id, { deliveries: [open] }));
        expect(await deliveries.readResponse(id, open.position)).toBeUndefined();
      });

      test("stays while the user can be restored, and is erased by the purge, also if it arrives later", async () => {
        const { id, position } = await start();
        const [subjectId, otherId] = [await createUser(), await createUser()];
        const key = { type: "key.created", subjectId };
        const results = [
          delivery(position + 1, { subjectId }),
          delivery(position + 2, { subjectId: otherId }),
          delivery(position + 3, key),
        ].map((each) => ({ ...each, response: response("echo") }));
        const found = async () =>
          Promise.all(
            results.map(async (each) => (await deliveries.readResponse(id, each.position)) !== undefined),
          );
        await record(report(id, { deliveries: results }));
        await store.users.remove(subjectId);
        await record(report(id, { deliveries: results }));
        expect(await found()).toEqual([true, true, true]);
        await store.deletedUsers.purge(subjectId);
        expect(await found()).toEqual([false, true, true]);
        await record(report(id, { deliveries: results }));
        expect(await found()).toEqual([false, true, true]);
      });

      test("is erased by the purge, also if both happen at the same time", async () => {
        const { id, position } = await start();
        const ids = await Promise.all(Array.from({ length: 20 }, createUser));
        for (const subjectId of ids) await store.users.remove(subjectId);
        const results = ids.map((subjectId, index) => ({
          ...delivery(position + 1 + index, { subjectId }),
          response: response("echo"),
        }));
        await Promise.all([
          ...results.map((result) => record(report(id, { deliveries: [result] }))),
          ...ids.map((subjectId) => store.deletedUsers.purge(subjectId)),
        ]);
        for (const each of results) expect(await deliveries.readResponse(id, each.position)).toBeUndefined();
      });

      test("is erased with the history of a user who is purged next", async () => {
        const { id } = await start();
        const subjectId = await createUser();
        const levels = Array.from({ length: 502 }, (_, level) =>
          store.users.edit(subjectId, { merge: { level } }),
        );
        await Promise.all(levels);
        const subject = { type: "user", id: subjectId } as const;
        const first = (await store.events.read({ subject, limit: 1 }))?.events[0]?.position ?? 0;
        await record(
          report(id, { deliveries: [{ ...delivery(first, { subjectId }), response: response("echo") }] }),
        );
        expect(await deliveries.readResponse(id, first)).toBeDefined();
        await store.users.remove(subjectId);
        const user = await store.deletedUsers.read(subjectId);
        if (user) await store.deletedUsers.eraseHistory(user);
        expect(await deliveries.readResponse(id, first)).toBeUndefined();
      });
    });

    test("resending a delivery behind an earlier one of its subject makes the earlier one due", async () => {
      const { id, position } = await createWebhook();
      await deliveries.lease([id], "a", LEASE_MS);
      const behind = { ...waiting, attempts: [], failures: 0, nextAttemptAt: null };
      const other = delivery(position + 1, { ...waiting, type: "key.created" });
      const first = delivery(position + 2, waiting);
      const second = delivery(position + 3, behind);
      const done = delivery(position + 4);
      await record(report(id, { deliveries: [other, first, second, done] }));
      const due = { ...first, failures: 0, nextAttemptAt: 4000 };
      expect(await deliveries.resend(id, second.position, 4000)).toEqual(second);
      expect(await deliveries.list(id, { limit: 10 })).toEqual([done, second, due, other]);
      const again: Delivery = { ...done, state: "waiting", nextAttemptAt: 5000 };
      expect(await deliveries.resend(id, done.position, 5000)).toEqual(again);
      expect(await deliveries.list(id, { limit: 10 })).toEqual([
        again,
        second,
        { ...due, nextAttemptAt: 5000 },
        other,
      ]);
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
        (await deliveries.list(id, { limit: 10 })).map(({ position }) => position);
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
      expect(await deliveries.list(id, { limit: 10 })).toEqual([]);
      expect(await record(report(id, { deliveries: [delivery(1)] }))).toBe(false);
    });
  });
}
