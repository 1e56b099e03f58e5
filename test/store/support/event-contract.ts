import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defaultImportOptions } from "../../../src/contract/bulk/bulk.ts";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import {
  anonymousOrigin,
  commandOrigin,
  environmentActor,
  isSameActor,
  type Origin,
  toKeyActor,
} from "../../../src/domain/caller.ts";
import { parseEventId, type StoredEvent, toEventId } from "../../../src/domain/events/event.ts";
import type { EventQuery } from "../../../src/domain/events/event-store.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { StoredRecord } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/domain/store.ts";
import { importUsers } from "./import-users.ts";
import type { OpenStore, StoreUnderTest } from "./store-under-test.ts";

const DAY_MS = 86_400_000;
const by: Origin = { actor: toKeyActor(7), requestId: "request-1" };

/** The fields of an event that tests compute with. */
interface ReadEvent {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly subject: { readonly type: string; readonly id: number };
  readonly version: number | null;
  readonly changes: object;
  readonly record: object;
}

export function eventContract(engine: string, open: OpenStore): void {
  describe(`${engine}: events`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.destroy());

    async function create(record: UserRecord, key?: string): Promise<StoredRecord> {
      const idempotencyKey = key === undefined ? undefined : { caller: "7", key, fingerprint: "f" };
      const { outcome } = await store.users.create({ record }, idempotencyKey, by);
      if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      return outcome.user;
    }

    async function readPage(query: Partial<EventQuery>) {
      const page = await store.events.read({ limit: 1000, ...query });
      if (!page) throw new Error("The feed no longer has the event at the cursor.");
      return page;
    }
    const read = async (query: Partial<EventQuery>) => (await readPage(query)).events;

    /** The events that `work` appends. */
    async function eventsOf(work: () => Promise<unknown>): Promise<ReadEvent[]> {
      const after = await store.events.last();
      await work();
      return (await read({ after })).map(({ json }) => JSON.parse(json));
    }
    const typesOf = (events: readonly ReadEvent[]) => events.map(({ type }) => type);
    const importLines = (records: readonly object[], onConflict: "fail" | "update" = "fail") =>
      store.users.import(
        records.map((record) => ({ json: JSON.stringify(record) })),
        undefined,
        by,
        { ...defaultImportOptions, onConflict },
      );

    test("starts at position 0", async () => {
      expect(await store.events.last()).toBe(0);
      expect(await readPage({ after: 0 })).toEqual({ events: [], next: undefined });
    });

    test("tells who created a user in which request, with the record", async () => {
      const before = Date.now();
      let user: StoredRecord | undefined;
      const [event] = await eventsOf(async () => {
        user = await create({ name: "Ada", email: "ada@x.org" });
      });
      expect<unknown>(event).toEqual({
        id: expect.stringMatching(/^[0-9a-z]{11}$/),
        type: "user.created",
        time: expect.any(String),
        actor: { type: "key", id: 7, name: null },
        requestId: "request-1",
        subject: { type: "user", id: user?.id },
        version: 1,
        changes: {},
        record: JSON.parse(user?.json ?? ""),
      });
      expect(Date.parse(String(event?.time))).toBeWithin(before - 1000, Date.now() + 1000);
      expect(parseEventId(String(event?.id))).toBe(await store.events.last());
    });

    test("tells the old and the new value of each changed field", async () => {
      const { id } = await create({ name: "Ada", email: "a@x.org", level: 1, note: null, ["__proto__"]: 1 });
      const record = { name: "Ada", email: "b@x.org", level: 1, tags: [1], toString: "x" };
      const events = await eventsOf(async () => {
        await store.users.edit(id, { replace: record }, undefined, by);
        await store.users.edit(id, { merge: { level: { deep: true } } }, undefined, by);
      });
      expect(events).toMatchObject([
        {
          type: "user.updated",
          version: 2,
          changes: {
            email: { from: "a@x.org", to: "b@x.org" },
            note: { from: null },
            tags: { to: [1] },
            toString: { to: "x" },
          },
        },
        { type: "user.updated", version: 3, changes: { level: { from: 1, to: { deep: true } } } },
      ]);
      expect(Object.keys(events[0]?.changes ?? {})).toHaveLength(5);
      expect(events[1]?.record).toEqual(JSON.parse((await store.users.read(id))?.json ?? ""));
    });

    test("keeps the last record of a deleted user", async () => {
      const user = await create({ name: "Grace" });
      const events = await eventsOf(() => store.users.remove(user.id, undefined, anonymousOrigin));
      expect(events).toMatchObject([
        {
          type: "user.deleted",
          actor: { type: "anonymous" },
          requestId: null,
          version: 1,
          changes: {},
          record: JSON.parse(user.json),
        },
      ]);
    });

    test("has one event per changed user of an import and of a bulk change", async () => {
      const { id } = await create({ name: "Known", email: "known@x.org" });
      const imported = await eventsOf(() =>
        importLines(
          [
            { name: "New" },
            { name: "Renamed", email: "known@x.org" },
            { name: "" },
            { email: "known@x.org" },
          ],
          "update",
        ),
      );
      expect(typesOf(imported)).toEqual(["user.created", "user.updated"]);
      const { id: other } = await create({ name: "Other" });
      const change = { merge: { team: "red" } };
      const changed = await eventsOf(() =>
        store.users.changeMany([id, other, 999_999], change, undefined, by),
      );
      expect(changed.map(({ subject }) => subject)).toEqual([
        { type: "user", id },
        { type: "user", id: other },
      ]);
      const removed = await eventsOf(() => store.users.changeMany([id, id, other], "remove", undefined, by));
      expect(typesOf(removed)).toEqual(["user.deleted", "user.deleted"]);
    });

    test("has no event for a write that changes nothing, is rejected or is replayed", async () => {
      const { id } = await create({ name: "Ada", email: "taken@x.org" }, "key 1");
      const events = await eventsOf(async () => {
        await store.users.edit(id, { merge: { name: "Ada" } }, undefined, by);
        await create({ name: "Ada", email: "taken@x.org" }, "key 1");
        await Promise.allSettled([
          create({ name: "Eve", email: "taken@x.org" }),
          store.users.edit(id, { merge: { name: "" } }, undefined, by),
          store.users.edit(id, { merge: { name: "Eve" } }, { match: [9], noneMatch: undefined }, by),
          store.users.remove(999_999, undefined, by),
        ]);
        using dryRun = store.users.startDryRun();
        await dryRun.import([{ json: '{"name":"Dry"}' }], undefined, by);
      });
      expect(events).toEqual([]);
    });

    test("has every event of concurrent writes, in the order of versions for each user", async () => {
      const [first, second] = [await create({ name: "A" }), await create({ name: "B" })];
      const events = await eventsOf(() =>
        Promise.all([
          ...Array.from({ length: 60 }, (_, i) =>
            store.users.edit(i % 2 ? first.id : second.id, { merge: { count: i } }, undefined, by),
          ),
          store.users.remove(second.id, undefined, by).catch(() => undefined),
        ]),
      );
      for (const { id } of [first, second]) {
        const versions = events
          .filter(({ subject, type }) => type === "user.updated" && subject.id === id)
          .map(({ version }) => version);
        expect(versions).toEqual(versions.map((_, index) => index + 2));
      }
      const ids = events.map(({ id }) => String(id));
      expect(ids).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    });

    test("has the events of a user that one batch creates and removes", async () => {
      let created = 0;
      const events = await eventsOf(async () => {
        created = (await create({ name: "Next" })).id;
        await Promise.all([
          create({ name: "Short-lived" }),
          store.users.remove(created + 1, undefined, by).catch(() => undefined),
          store.users.edit(created, { merge: { x: 1 } }, undefined, by),
          store.users.remove(created, undefined, by),
        ]);
      });
      const ofFirst = events.filter(({ subject }) => subject.id === created);
      expect(typesOf(ofFirst)).toEqual(["user.created", "user.updated", "user.deleted"]);
    });

    test("tells when keys are created, replaced and revoked, without their digests", async () => {
      const draft = {
        name: "ci",
        prefix: "roster_abcde",
        scopes: ["users:read"] as const,
        expiresAt: null,
        rateLimit: null,
        quota: null,
      };
      const keys: number[] = [];
      const end = Date.now() + 60_000;
      const events = await eventsOf(async () => {
        keys.push((await store.keys.create({ ...draft, digest: "secret-1" }, undefined, commandOrigin)).id);
        await store.keys.create({ ...draft, digest: "secret-1" }, undefined, commandOrigin);
        const replaces = { id: keys[0] ?? 0, expiresAt: end };
        keys.push(
          (await store.keys.create({ ...draft, digest: "secret-2" }, replaces, { actor: environmentActor }))
            .id,
        );
        await store.keys.revoke(keys[1] ?? 0, { actor: toKeyActor(keys[0] ?? 0), requestId: "r" });
        await store.keys.revoke(keys[1] ?? 0, { actor: environmentActor });
        await store.keys.revoke(999_999, { actor: environmentActor });
      });
      const [old, successor] = keys;
      expect(events).toMatchObject([
        { type: "key.created", subject: { type: "key", id: old }, actor: { type: "command" }, changes: {} },
        {
          type: "key.created",
          subject: { type: "key", id: successor },
          actor: { type: "key", id: 0, name: "ROSTER_API_KEY" },
        },
        {
          type: "key.replaced",
          subject: { type: "key", id: old },
          version: null,
          changes: { expiresAt: { from: null, to: new Date(end).toISOString() } },
          record: { id: old, name: "ci", prefix: "roster_abcde", scopes: ["users:read"], quota: null },
        },
        {
          type: "key.revoked",
          subject: { type: "key", id: successor },
          actor: { type: "key", id: old, name: "ci" },
          requestId: "r",
        },
      ]);
      expect(JSON.stringify(events)).not.toContain("secret-");
    });

    describe("reading", () => {
      let all: readonly StoredEvent[];
      const positions = (events: readonly StoredEvent[]) => events.map(({ position }) => position);
      beforeAll(async () => {
        all = await read({});
      });

      async function readAll(query: Partial<EventQuery>): Promise<StoredEvent[]> {
        const found: StoredEvent[] = [];
        let after = query.after;
        for (;;) {
          const page = await readPage({ ...query, ...(after !== undefined && { after }) });
          found.push(...page.events);
          if (page.next === undefined) return found;
          after = page.next;
        }
      }

      test("goes from page to page in both directions, without a next page at the end", async () => {
        for (const limit of [1, 7, all.length - 1, all.length, all.length + 1]) {
          expect(await readAll({ limit })).toEqual([...all]);
          expect(await readAll({ limit, descending: true })).toEqual(all.toReversed());
        }
        expect((await readPage({ limit: all.length })).next).toBeUndefined();
        expect(await readAll({ after: 0 })).toEqual([...all]);
      });

      test("finds the events of one subject, of types, of an actor, and of a time", async () => {
        const { subjectId: id } = all.find(({ type }) => type === "user.updated") ?? { subjectId: 0 };
        const isOf = ({ type, subjectId }: StoredEvent) => type.startsWith("user.") && subjectId === id;
        for (const descending of [false, true]) {
          const expected = descending ? all.toReversed() : all;
          const found = await readAll({ subject: { type: "user", id }, limit: 2, descending });
          expect(found).toEqual(expected.filter(isOf));
          const types = ["user.deleted", "key.revoked"] as const;
          expect(await readAll({ types, limit: 2, descending })).toEqual(
            expected.filter(({ type }) => types.some((wanted) => wanted === type)),
          );
          for (const actor of [by.actor, anonymousOrigin.actor, commandOrigin.actor]) {
            const events = await readAll({ actor, limit: 3, descending });
            expect(events).toEqual(expected.filter((event) => isSameActor(event.actor, actor)));
            expect(events).not.toBeEmpty();
          }
          const middle = Math.floor((all[20]?.position ?? 0) / 1000);
          const [before, since] = [
            await readAll({ to: middle, limit: 5, descending }),
            await readAll({ from: middle, limit: 5, descending }),
          ];
          expect(descending ? [...since, ...before] : [...before, ...since]).toEqual(expected.slice());
          expect(since.every(({ position }) => position >= middle * 1000)).toBe(true);
          expect(before.every(({ position }) => position < middle * 1000)).toBe(true);
        }
        expect(await readAll({ types: [] })).toEqual([]);
      });

      test("finds the events of one request, in both directions, with other filters, and in a range", async () => {
        const ofRequest = ({ requestId }: StoredEvent) => requestId === by.requestId;
        const { requestId = "" } = by;
        expect(new Set(all.map((event) => event.requestId))).toEqual(new Set(["request-1", "r", null]));
        for (const descending of [false, true]) {
          const expected = (descending ? all.toReversed() : all).filter(ofRequest);
          expect(await readAll({ requestId, limit: 7, descending })).toEqual(expected);
          const after = expected[3]?.position ?? 0;
          expect(await readAll({ requestId, after, limit: 7, descending })).toEqual(expected.slice(4));
          const types = ["user.deleted"] as const;
          expect(await readAll({ requestId, types, descending })).toEqual(
            expected.filter(({ type }) => type === "user.deleted"),
          );
          const [first] = expected;
          const subject = { type: "user", id: first?.subjectId ?? 0 } as const;
          const ofSubject = ({ type, subjectId }: StoredEvent) =>
            type.startsWith("user.") && subjectId === subject.id;
          expect(await readAll({ requestId, subject, descending })).toEqual(expected.filter(ofSubject));
          const middle = Math.floor((all[20]?.position ?? 0) / 1000);
          expect(await readAll({ requestId, from: middle, limit: 5, descending })).toEqual(
            expected.filter(({ position }) => position >= middle * 1000),
          );
          expect(await readAll({ requestId, to: middle, limit: 5, descending })).toEqual(
            expected.filter(({ position }) => position < middle * 1000),
          );
        }
        for (const unknown of ["R", "request-", "request-11", "null"])
          expect(await readAll({ requestId: unknown })).toEqual([]);
        expect(typesOf((await readAll({ requestId: "r" })).map(({ json }) => JSON.parse(json)))).toEqual([
          "key.revoked",
        ]);
      });

      test("rejects a position that is not of an event, which may be of a lost database", async () => {
        const last = await store.events.last();
        for (const after of [1, last - 1, last + 1, 2 ** 53 - 1]) {
          if (positions(all).includes(after)) continue;
          expect(await store.events.read({ after, limit: 10 })).toBeUndefined();
        }
      });

      test("examines a limited number of events per page", async () => {
        const since = await store.events.last();
        for (let chunk = 0; chunk < 11; chunk++) {
          await importLines(Array.from({ length: 500 }, (_, i) => ({ name: `Import ${chunk} ${i}` })));
        }
        const { id } = await create({ name: "Rare" });
        await store.users.remove(id, undefined, { ...by, requestId: "rare" });
        for (const filter of [{ types: ["user.deleted"] }, { requestId: "rare" }] as const) {
          const page = await readPage({ after: since, ...filter });
          expect(page.events).toEqual([]);
          expect(page.next).toBeGreaterThan(since);
          expect((await readAll({ after: since, ...filter })).map(({ subjectId }) => subjectId)).toEqual([
            id,
          ]);
        }
      });
    });

    describe("reading lines", () => {
      /** All lines of a query, and the number of their pages. */
      async function readLines(query: Partial<EventQuery>) {
        const decoder = new TextDecoder();
        const lines: string[] = [];
        let { after } = query;
        for (let pages = 1; ; pages++) {
          const page = await store.events.readLines({
            limit: 1,
            ...query,
            ...(after !== undefined && { after }),
          });
          if (!page) throw new Error("The feed no longer has the event at the cursor.");
          const text = decoder.decode(page.body);
          const found = text === "" ? [] : text.slice(0, -1).split("\n");
          expect(found).toHaveLength(page.size);
          expect(page.body.length).toBeLessThan(4 * 1_048_576);
          lines.push(...found);
          if (page.next === undefined) return { lines, pages };
          after = page.next;
        }
      }

      test("has the same events as pages, in both directions, and with filters", async () => {
        const all = await read({ limit: 10_000 });
        const after = all[10]?.position ?? 0;
        const queries: Partial<EventQuery>[] = [
          {},
          { after },
          { descending: true },
          { descending: true, after },
          { types: ["user.deleted"] },
          { requestId: "rare" },
          { requestId: "r", descending: true },
          { actor: by.actor, from: Date.now() - DAY_MS },
          { subject: { type: "user", id: all[0]?.subjectId ?? 0 } },
          { types: [] },
        ];
        for (const query of queries) {
          const expected: string[] = [];
          for (let next: number | undefined = query.after ?? -1; next !== undefined; ) {
            const page = await readPage({ ...query, limit: 1000, ...(next >= 0 && { after: next }) });
            expected.push(...page.events.map(({ json }) => json));
            next = page.next;
          }
          const { lines, pages } = await readLines(query);
          expect(lines).toEqual(expected);
          expect(pages).toBeLessThan(10);
        }
      });

      test("has short pages if events are large", async () => {
        const since = await store.events.last();
        const { eventBytes: before } = await store.stats();
        for (let chunk = 0; chunk < 3; chunk++) {
          await importLines(Array.from({ length: 100 }, () => ({ name: "Large", text: "ü".repeat(7000) })));
        }
        const { lines, pages } = await readLines({ after: since });
        expect(lines).toHaveLength(300);
        expect(pages).toBeGreaterThan(2);
        const { eventBytes, bytes } = await store.stats();
        expect(eventBytes - before).toBeGreaterThan(300 * 14_000);
        // PostgreSQL compresses such texts.
        if (engine === "SQLite") expect(eventBytes).toBeLessThan(bytes);
      });

      test("rejects a position that is not of an event", async () => {
        const after = (await store.events.last()) + 1;
        expect(await store.events.readLines({ after, limit: 1 })).toBeUndefined();
      });
    });

    describe("retention", () => {
      beforeAll(async () => {
        for (let chunk = 0; chunk < 12; chunk++) await importUsers(store, 500);
      });

      test("removes the oldest events in small steps, and keeps the others", async () => {
        const [first] = await read({ limit: 1 });
        const last = await store.events.last();
        const max = 1000;
        const steps: number[] = [];
        for (;;) {
          const removed = await store.events.removeOldest({ before: 0, max });
          if (removed === 0) break;
          steps.push(removed);
        }
        expect(steps.length).toBeGreaterThan(9);
        expect(steps.slice(0, -1)).toEqual(steps.slice(0, -1).map(() => 500));
        const kept = await read({ limit: 2000 });
        expect(kept).toHaveLength(max);
        expect(kept.at(-1)?.position).toBe(last);
        expect(await store.events.read({ after: 0, limit: 10 })).toBeUndefined();
        expect(await store.events.read({ after: first?.position ?? 0, limit: 10 })).toBeUndefined();
        expect(await read({ descending: true, limit: 2000 })).toHaveLength(max);
      });

      test("lets a reader continue after the last removed event", async () => {
        const [first, second] = await read({ limit: 2 });
        await store.events.removeOldest({ before: 0, max: 999 });
        expect((await read({ after: first?.position ?? 0, limit: 1 })).map(({ json }) => json)).toEqual([
          second?.json ?? "",
        ]);
      });

      test("removes events that are older than the given time, even all of them", async () => {
        expect(await store.events.removeOldest({ before: Date.now() - DAY_MS })).toBe(0);
        const last = await store.events.last();
        while ((await store.events.removeOldest({ before: Date.now() + DAY_MS })) > 0);
        expect(await read({})).toEqual([]);
        // One row remains.
        expect((await store.stats()).eventBytes).toBe(80);
        expect(await store.events.last()).toBe(last);
        expect(await read({ after: last })).toEqual([]);
        const user = await create({ name: "After" });
        const [event] = await read({ after: last });
        expect(event?.subjectId).toBe(user.id);
        expect(toEventId(last) < toEventId(event?.position ?? 0)).toBe(true);
      });
    });
  });
}
