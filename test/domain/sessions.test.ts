import { expect, test } from "bun:test";
import type { StoredSession } from "../../src/domain/keys/key-store.ts";
import { type SessionStore, Sessions } from "../../src/domain/keys/sessions.ts";
import { TestClock } from "../support/test-clock.ts";

/** Sessions in memory. While `held` is set, a read waits after it has read. */
class SlowStore implements SessionStore {
  held: Promise<void> | undefined;
  readonly #sessions = new Map<string, StoredSession>();

  async openSession(digest: string, session: StoredSession): Promise<void> {
    this.#sessions.set(digest, session);
  }

  async readSession(digest: string): Promise<StoredSession | undefined> {
    const session = this.#sessions.get(digest);
    await this.held;
    return session;
  }

  async closeSession(digest: string): Promise<void> {
    this.#sessions.delete(digest);
  }
}

test("a session that ends while another request reads it does not work any more", async () => {
  const store = new SlowStore();
  const clock = TestClock.stopped();
  const sessions = new Sessions(store, clock);
  const { cookie, token } = await sessions.open("digest of a key");
  // Nothing is cached any more.
  await clock.advance(1000);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.held = promise;
  const reading = sessions.find(token, [cookie]);
  store.held = undefined;
  await sessions.close(token, [cookie]);
  resolve();
  // This request came before the end.
  expect(await reading).toBeDefined();
  expect(await sessions.find(token, [cookie])).toBeUndefined();
});
