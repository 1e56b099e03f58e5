import { expect, test } from "bun:test";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import type { StoredEvent } from "../../src/domain/events/event.ts";
import { EventMatchers, MatchedEvents } from "../../src/webhooks/event-matcher.ts";

/** An event that counts how often its JSON is read. */
class CountedEvent implements StoredEvent {
  readonly actor = anonymousOrigin.actor;
  readonly requestId = null;
  readonly type: string;
  reads = 0;
  readonly #level: number;

  constructor(
    readonly position: number,
    type: string,
    level: number,
  ) {
    this.type = type;
    this.#level = level;
  }

  get subjectId(): number {
    return this.position;
  }

  get json(): string {
    this.reads++;
    return JSON.stringify({ record: { name: "Ada", level: this.#level } });
  }
}

test("webhooks with the same types and the same filter have the same matcher", () => {
  const matchers = new EventMatchers();
  const matcher = matchers.of({ types: ["user.*"], filter: "level eq 1" });
  expect(matchers.of({ types: ["user.*"], filter: "level eq 1" })).toBe(matcher);
  expect(matchers.of({ types: ["user.*"], filter: "level eq 2" })).not.toBe(matcher);
  expect(matchers.of({ types: ["user.created"], filter: "level eq 1" })).not.toBe(matcher);
});

test("an event is parsed once for all webhooks, and not at all for webhooks that do not want its type", async () => {
  const matchers = new EventMatchers();
  const created = [1, 2, 3].map((level) => new CountedEvent(level, "user.created", level));
  const deleted = new CountedEvent(4, "user.deleted", 1);
  const matched = new MatchedEvents([...created, deleted]);
  for (let webhook = 0; webhook < 100; webhook++) {
    const filter = `level eq ${(webhook % 3) + 1}`;
    const found = await matched.find(matchers.of({ types: ["user.created"], filter }));
    expect(found).toEqual(created.slice(webhook % 3, (webhook % 3) + 1));
  }
  expect(created.map(({ reads }) => reads)).toEqual([1, 1, 1]);
  expect(deleted.reads).toBe(0);
});

test("group.* names the events of groups, and a filter applies to the group", async () => {
  const matchers = new EventMatchers();
  const events = ["group.created", "group.updated", "user.created", "group.deleted"].map(
    (type, index) => new CountedEvent(index, type, index),
  );
  const matched = new MatchedEvents(events);
  const find = async (filter: string | null) =>
    (await matched.find(matchers.of({ types: ["group.*"], filter }))).map(({ type }) => type);
  expect(await find(null)).toEqual(["group.created", "group.updated", "group.deleted"]);
  expect(await find("level ge 2")).toEqual(["group.deleted"]);
});

test("a webhook without a filter gets the events of its types, and none is parsed", async () => {
  const matchers = new EventMatchers();
  const events = ["user.created", "user.updated", "webhook.created"].map(
    (type, index) => new CountedEvent(index, type, 1),
  );
  const matched = new MatchedEvents(events);
  expect(await matched.find(matchers.of({ types: ["user.*"], filter: null }))).toEqual(events.slice(0, 2));
  expect(await matched.find(matchers.of({ types: ["*"], filter: null }))).toEqual(events);
  expect(events.map(({ reads }) => reads)).toEqual([0, 0, 0]);
});
