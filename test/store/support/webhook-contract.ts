import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { webhookLimits } from "../../../src/contract/webhooks/webhook.ts";
import { anonymousOrigin, type Origin, systemOrigin } from "../../../src/domain/caller.ts";
import type { Precondition } from "../../../src/domain/precondition.ts";
import type { Store } from "../../../src/domain/store.ts";
import type {
  StoredWebhook,
  WebhookDraft,
  WebhookStore,
} from "../../../src/domain/webhooks/webhook-store.ts";
import { type OpenStore, outcomeOf, type StoreUnderTest } from "./store-under-test.ts";

const by: Origin = { ...anonymousOrigin, requestId: "r" };
const draft: WebhookDraft = {
  url: "https://hooks.example/roster",
  types: ["user.*", "key.created"],
  description: "Mirrors users",
  filter: 'department eq "sales"',
  active: true,
  secret: "whsec_1",
};
const version = (match: number): Precondition => ({ match: [match], noneMatch: undefined });

/** What every engine must do with webhooks. */
export function webhookContract(engine: string, open: OpenStore): void {
  describe(`${engine}: webhooks`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    let webhooks: WebhookStore;
    let secrets = 0;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
      webhooks = store.webhooks;
    });
    afterAll(() => opened.destroy());

    const create = (fields: Partial<WebhookDraft> = {}): Promise<StoredWebhook> =>
      webhooks.create({ ...draft, secret: `whsec_${++secrets}-${engine}`, ...fields }, by);
    const eventsOf = async ({ id }: StoredWebhook) => {
      const page = await store.events.read({ subject: { type: "webhook", id }, limit: 100 });
      return (page?.events ?? []).map(({ json }) => JSON.parse(json));
    };

    test("reads a created webhook, whose position is that of its event", async () => {
      const created = await create();
      expect(created).toMatchObject({ ...draft, secret: created.secret, version: 1 });
      expect(created).toMatchObject({ previousSecret: null, failingSince: null, disabledReason: null });
      expect(created.position).toBe(await store.events.last());
      expect(await webhooks.read(created.id)).toEqual(created);
      expect(await webhooks.read(created.id + 1)).toBeUndefined();
      expect(await eventsOf(created)).toMatchObject([
        {
          type: "webhook.created",
          actor: { type: "anonymous" },
          requestId: "r",
          version: 1,
          changes: {},
          record: { id: created.id, url: draft.url, types: draft.types, active: true },
        },
      ]);
    });

    test("creates one webhook for one secret, as after a lost response", async () => {
      const created = await create();
      expect(await create({ secret: created.secret })).toEqual(created);
      expect(await eventsOf(created)).toHaveLength(1);
    });

    test("lists webhooks by id, after an id", async () => {
      const [first, second] = [await create(), await create()];
      expect(await webhooks.list(first.id - 1, 1)).toEqual([first]);
      expect(await webhooks.list(first.id, 10)).toEqual([second]);
    });

    test("updates only what changes, and keeps the version if nothing does", async () => {
      const created = await create();
      const updated = await webhooks.update(created.id, { types: ["*"], description: "" }, version(1), by);
      expect(updated).toEqual({
        ...created,
        types: ["*"],
        description: "",
        version: 2,
        updatedAt: updated.updatedAt,
      });
      expect(await webhooks.update(created.id, { types: ["*"] }, undefined, by)).toEqual(updated);
      expect(await webhooks.read(created.id)).toEqual(updated);
      expect((await eventsOf(created)).slice(1)).toMatchObject([
        {
          type: "webhook.updated",
          version: 2,
          changes: {
            types: { from: draft.types, to: ["*"] },
            description: { from: "Mirrors users", to: "" },
          },
        },
      ]);
    });

    test("changes nothing if the version is another one, or if the webhook does not exist", async () => {
      const created = await create();
      const { id } = created;
      const changes = (of: number, precondition: Precondition | undefined) => [
        webhooks.update(of, { active: false }, precondition, by),
        webhooks.rotate(of, "whsec_other", 0, precondition, by),
        webhooks.remove(of, precondition, by),
      ];
      expect(await Promise.all(changes(id, version(2)).map(outcomeOf))).toEqual(
        Array(3).fill("version-mismatch"),
      );
      const excluded: Precondition = { match: undefined, noneMatch: "any" };
      expect(await Promise.all(changes(id, excluded).map(outcomeOf))).toEqual(
        Array(3).fill("precondition-failed"),
      );
      expect(await Promise.all(changes(999_999, undefined).map(outcomeOf))).toEqual(
        Array(3).fill("webhook-not-found"),
      );
      expect(await webhooks.read(id)).toEqual(created);
      expect(await eventsOf(created)).toHaveLength(1);
    });

    test("keeps the previous secret after a rotation, and has neither in an event", async () => {
      const created = await create();
      const until = Date.now() + 60_000;
      const rotated = await webhooks.rotate(created.id, `${created.secret}-new`, until, undefined, by);
      expect(rotated).toMatchObject({
        secret: `${created.secret}-new`,
        previousSecret: created.secret,
        previousSecretUntil: until,
        version: 2,
      });
      expect(await webhooks.rotate(created.id, rotated.secret, until, undefined, by)).toEqual(rotated);
      const events = await eventsOf(created);
      expect(events[1]).toMatchObject({
        type: "webhook.updated",
        changes: { previousSecretUntil: { from: null, to: new Date(until).toISOString() } },
      });
      expect(events).toHaveLength(2);
      expect(JSON.stringify(events)).not.toContain("whsec_");
    });

    test("disables an active webhook once, and starts at the last event when it is active again", async () => {
      const created = await create();
      expect(await webhooks.disable(created.id, "gone", systemOrigin)).toBe(true);
      expect(await webhooks.disable(created.id, "failing", systemOrigin)).toBe(false);
      expect(await webhooks.disable(999_999, "failing", systemOrigin)).toBe(false);
      const disabled = await webhooks.read(created.id);
      expect(disabled).toMatchObject({ active: false, disabledReason: "gone", version: 2 });
      expect(disabled?.position).toBe(created.position);
      await store.users.create({ record: { name: "Ada" } });
      const active = await webhooks.update(created.id, { active: true }, undefined, by);
      expect(active).toMatchObject({ active: true, disabledReason: null, failingSince: null, version: 3 });
      expect(active.position).toBe(await store.events.last());
      expect((await eventsOf(created)).slice(1)).toMatchObject([
        {
          type: "webhook.disabled",
          actor: { type: "system" },
          requestId: null,
          changes: { active: { from: true, to: false }, disabledReason: { from: null, to: "gone" } },
        },
        { type: "webhook.updated", changes: { active: { from: false, to: true } } },
      ]);
    });

    test("never reuses the id of a deleted webhook", async () => {
      const created = await create();
      await webhooks.remove(created.id, undefined, by);
      expect(await webhooks.read(created.id)).toBeUndefined();
      expect((await create()).id).toBeGreaterThan(created.id);
      expect((await eventsOf(created))[1]).toMatchObject({
        type: "webhook.deleted",
        version: 1,
        record: { id: created.id, url: draft.url },
      });
    });

    test(`rejects more than ${webhookLimits.webhooks} webhooks`, async () => {
      const { length } = await webhooks.list(0, 1000);
      const more = webhookLimits.webhooks - length + 1;
      const outcomes = await Promise.all(Array.from({ length: more }, () => outcomeOf(create())));
      expect(outcomes.filter((outcome) => outcome !== "done")).toEqual(["invalid-webhook"]);
      expect(await webhooks.list(0, 1000)).toHaveLength(webhookLimits.webhooks);
    });
  });
}
