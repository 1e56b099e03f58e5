import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../support/engines.ts";
import { startRoster } from "../support/process/roster.ts";
import { cleanUp, createDatabase, flags } from "./support/commands.ts";
import { keyOf, keysOn, untilRejected } from "./support/keys.ts";

setDefaultTimeout(120_000);
afterEach(cleanUp);

/** What `roster keys revoke` promises. */
const PROMISED_MS = 1000;

onEachEngine((engine) => {
  test("a running service requires keys, and rejects a revoked and a replaced key, within a second", async () => {
    const url = await createDatabase(engine);
    const keys = keysOn(url);
    const roster = await startRoster(url, { flags });
    const expectRejectedSoon = async (key?: string) => {
      const begin = performance.now();
      await untilRejected(roster, key);
      expect(performance.now() - begin).toBeLessThan(PROMISED_MS);
    };
    const first = keyOf(await keys("create", "--name=first", "--scope=all"));
    await expectRejectedSoon();
    await keys("revoke", "1");
    await expectRejectedSoon(first);
    const second = keyOf(await keys("create", "--name=second", "--scope=all"));
    keyOf(await keys("replace", "2", "--grace=0s"));
    await expectRejectedSoon(second);
  });
});
