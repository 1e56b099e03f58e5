import { describe, expect, test } from "bun:test";
import { toKeyActor } from "../../src/domain/caller.ts";
import { toStoredEvent } from "../../src/domain/events/event.ts";
import { MAX_PAYLOAD_BYTES, renderPayload } from "../../src/webhooks/payload.ts";

const time = "2026-11-16T08:00:00.000Z";

function render(type: string, record: object, changes: object = {}): { text: string; payload: Payload } {
  const [subjectType = "", action = ""] = type.split(".");
  const event = toStoredEvent({
    position: Date.parse(time) * 1000,
    subjectType,
    action,
    subjectId: 42,
    version: 7,
    actor: toKeyActor(3),
    actorName: 'a ","changes":" b',
    requestId: "r-1",
    changes: JSON.stringify(changes),
    record: JSON.stringify(record),
  });
  const text = renderPayload({ ...event, time }, "https://roster.example");
  return { text, payload: JSON.parse(text) };
}

interface Payload {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly id: string; readonly record: unknown; readonly changes: Record<string, object> };
}

const long = "ö".repeat(12_000);

describe("the body of a delivery", () => {
  test("has the type, the time and the event", () => {
    const { payload } = render("user.updated", { name: "Ada" }, { name: { from: "A", to: "Ada" } });
    expect(payload).toMatchObject({ type: "user.updated", timestamp: time });
    expect(payload.data).toMatchObject({ version: 7, record: { name: "Ada" } });
  });

  test("has the URL of the record if it would exceed 20 kB", () => {
    const { text, payload } = render("user.updated", { bio: long }, { name: { from: "A", to: "B" } });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_PAYLOAD_BYTES);
    expect(payload.data).toMatchObject({
      version: 7,
      changes: { name: { from: "A", to: "B" } },
      record: "https://roster.example/api/users/42",
    });
  });

  test.each([
    ["user.deleted", "/api/deleted-users/42"],
    ["key.created", "/api/keys/42"],
    ["webhook.updated", "/api/webhooks/42"],
    ["schema.updated", "/api/schema"],
  ])("has the URL of the record of %s", (type, path) => {
    expect(render(type, { bio: long }).payload.data.record).toBe(`https://roster.example${path}`);
  });

  test("names the changed fields without their values if these are too large", () => {
    const { text, payload } = render("user.updated", { bio: long }, { bio: { from: "", to: long } });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_PAYLOAD_BYTES);
    expect(payload.data.changes).toEqual({ bio: {} });
  });

  test("has no changes if even their names are too long", () => {
    const changes = { [long]: { from: 1 } };
    expect(render("user.updated", { bio: long }, changes).payload.data.changes).toEqual({});
    const huge = { bio: { to: "a".repeat(300_000) } };
    expect(render("user.updated", { bio: "a" }, huge).payload.data.changes).toEqual({});
  });
});
