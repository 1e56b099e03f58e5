import { beforeEach, describe, expect, test } from "bun:test";
import { commandOrigin } from "../../src/domain/caller.ts";
import { DatabaseUnavailable } from "../../src/domain/database-unavailable.ts";
import { KeyRing, KNOWN_TO_ALL_MS } from "../../src/domain/keys/key-ring.ts";
import { Keys } from "../../src/domain/keys/keys.ts";
import { TestClock } from "../support/test-clock.ts";
import { ManualKeyStore, nextTick } from "./support/manual-key-store.ts";

const caller = { ...commandOrigin, scopes: ["users:read"] } as const;
const unavailable = new DatabaseUnavailable("The database does not respond.");

let clock: TestClock;
let store: ManualKeyStore;
let ring: KeyRing;
let keys: Keys;
beforeEach(() => {
  clock = TestClock.stopped();
  store = new ManualKeyStore(() => clock.now());
  ring = new KeyRing(store, clock);
  keys = new Keys(store, ring, clock);
});

/** Begins to create a key. The change is committed, and the ring begins to read it. */
async function create() {
  const result = keys.create(caller, { name: "ci", scopes: ["users:read"] });
  const state = { isAnswered: false, result };
  result.then(
    () => {
      state.isAnswered = true;
    },
    () => undefined,
  );
  await nextTick();
  return state;
}

/** Ends the read of the ring that waits. */
async function endRead(end: "answer" | "fail", error?: Error): Promise<void> {
  store.waiting[0]?.[end](error);
  await nextTick();
}

/** Another caller creates the first key. */
async function addFirst(): Promise<void> {
  store.add();
  const refreshed = ring.refresh();
  await endRead("answer");
  await refreshed;
}

describe("a created key", () => {
  /** The key is answered this long after the ring has read it, and not before. */
  const expectWait = async (creating: { readonly isAnswered: boolean }) => {
    await clock.advance(KNOWN_TO_ALL_MS - 1);
    expect(creating.isAnswered).toBe(false);
    await clock.advance(1);
    expect(creating.isAnswered).toBe(true);
  };

  test("is answered when every node requires keys if it is the first one", async () => {
    const creating = await create();
    await endRead("answer");
    await expectWait(creating);
  });

  test("is answered when every node requires keys if another caller has just created the first one", async () => {
    await addFirst();
    await clock.advance(KNOWN_TO_ALL_MS - 1);
    const creating = await create();
    await endRead("answer");
    await expectWait(creating);
  });

  test("is answered when every node requires keys if its node could not read the first one", async () => {
    const first = await create();
    await endRead("fail", unavailable);
    await expectWait(first);
    const second = await create();
    await endRead("answer");
    await expectWait(second);
  });

  test("is answered at once if every node requires keys already", async () => {
    await addFirst();
    await clock.advance(KNOWN_TO_ALL_MS);
    const creating = await create();
    expect(creating.isAnswered).toBe(false);
    await endRead("answer");
    expect(creating.isAnswered).toBe(true);
  });
});

describe("a change that is committed, after which the keys cannot be read,", () => {
  beforeEach(async () => {
    await addFirst();
    await clock.advance(KNOWN_TO_ALL_MS);
  });
  const revoke = async () => {
    const result = keys.revoke(commandOrigin, 1);
    result.catch(() => undefined);
    await nextTick();
    return { result };
  };

  test("returns the created key with its secret if the database is unavailable", async () => {
    const { result } = await create();
    await endRead("fail", unavailable);
    const { key, ...created } = await result;
    expect(key).toStartWith(created.prefix);
    expect(created).toMatchObject({ id: 2, name: "ci", scopes: ["users:read"], revokedAt: null });
    expect(created.usage.requests).toBe(0);
  });

  test("returns after a revocation if the database is unavailable", async () => {
    const { result } = await revoke();
    await endRead("fail", unavailable);
    expect(await result).toBeUndefined();
  });

  test.each([
    ["create", create],
    ["revocation", revoke],
  ])("fails with any other error of a %s", async (_, change) => {
    const { result } = await change();
    await endRead("fail", new Error("The row cannot be parsed."));
    await expect(result).rejects.toThrow("The row cannot be parsed.");
  });
});
