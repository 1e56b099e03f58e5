import { scopes as allScopes } from "../../../src/contract/keys/key.ts";
import { commandOrigin } from "../../../src/domain/caller.ts";
import { KeyRing } from "../../../src/domain/keys/key-ring.ts";
import { Keys } from "../../../src/domain/keys/keys.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import { defaultRecordRules } from "../../../src/domain/users/record-rules.ts";
import type { Action } from "../action.ts";
import { type Credential, NOBODY } from "../credential.ts";
import type { Random } from "../random.ts";
import { SimulatedProcess } from "../simulated-process.ts";
import type { World } from "../world.ts";

/** Every scope: callers need no other key for anything. */
const scopes = [
  "users:read",
  "users:write",
  "users:purge",
  "groups:read",
  "groups:write",
  "events:read",
  "webhooks:manage",
  "keys:manage",
];

async function readUsers(world: World, random: Random, credential: Credential): Promise<void> {
  const node = world.pickNode(random);
  if (node) await world.call(node, { path: `/api/users/${1 + random.integer(9)}`, credential });
}

/** After a second, no node serves the caller any more. */
async function callLater(world: World, random: Random, credential: Credential): Promise<void> {
  await world.machine.sleep(random.between(1000, 1500));
  await readUsers(world, random, credential);
}

const RETRY_MS = 200;

/** The operator creates a key on the host: the caller that created the first one did not get it. */
export async function createKeyOnHost(world: World): Promise<void> {
  const process = new SimulatedProcess(world.machine);
  const { clock } = process;
  const options = { batch: 1, queue: 1, waitMs: 60_000, recordRules: defaultRecordRules, clock };
  const store = await world.database.open(process, options, { committed: () => undefined });
  const ring = new KeyRing(store.keys, clock);
  const keys = new Keys(store.keys, ring, clock);
  for (let isCreated = false; !isCreated; ) {
    try {
      await ring.refresh();
      const caller = { ...commandOrigin, scopes: allScopes };
      const { id, key } = await keys.create(caller, { name: "command", scopes });
      world.keys.push({ id, secret: key, createdAt: world.nowMs, isEnding: false, end: undefined });
      world.trace(() => `the operator creates key ${id}`);
      isCreated = true;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
  await store.close();
  process.kill();
}

export const keyActions: readonly Action[] = [
  {
    name: "create a key",
    weight: 3,
    async run(world, random) {
      const node = world.pickNode(random);
      if (!node) return;
      if (world.isFirstKeyRequested && world.keys.length === 0) return createKeyOnHost(world);
      const credential = world.pickCredential(random);
      world.isFirstKeyRequested = true;
      const answer = await world.call(node, {
        method: "POST",
        path: "/api/keys",
        json: { name: "simulated", scopes },
        credential,
      });
      if (answer?.status !== 201) return;
      const { id, key: secret } = JSON.parse(answer.text);
      world.keys.push({ id, secret, createdAt: world.nowMs, isEnding: false, end: undefined });
      // Others learn at once that a key is needed.
      const other = world.pickNode(random);
      if (other) await world.call(other, { path: "/api/users/1", credential: NOBODY });
    },
  },
  {
    name: "revoke a key",
    weight: 3,
    async run(world, random) {
      // One key is left for the others.
      const keys = world.keys.filter((key) => !key.isEnding);
      const node = world.pickNode(random);
      if (keys.length < 2 || !node) return;
      const key = random.pick(keys);
      key.isEnding = true;
      const credential = world.pickCredential(random);
      const answer = await world.call(node, { method: "DELETE", path: `/api/keys/${key.id}`, credential });
      if (answer?.status !== 204) return;
      key.end = { at: world.nowMs, node };
      await callLater(world, random, { kind: "key", key });
    },
  },
  {
    name: "sign in",
    weight: 3,
    async run(world, random) {
      const keys = world.keys.filter((key) => !key.isEnding);
      const node = world.pickNode(random);
      if (keys.length === 0 || !node) return;
      const key = random.pick(keys);
      const request = { method: "POST", path: "/api/session", json: { key: key.secret }, credential: NOBODY };
      const answer = await world.call(node, request);
      if (answer?.status !== 200) return;
      const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
      const { token } = JSON.parse(answer.text);
      world.sessions.push({ key, cookie, token, isEnding: false, end: undefined });
    },
  },
  {
    name: "sign out",
    weight: 2,
    async run(world, random) {
      const sessions = world.sessions.filter((session) => !session.isEnding);
      const node = world.pickNode(random);
      if (sessions.length === 0 || !node) return;
      const session = random.pick(sessions);
      session.isEnding = true;
      const credential = { kind: "session", session } as const;
      const answer = await world.call(node, { method: "DELETE", path: "/api/session", credential });
      if (answer?.status !== 204) return;
      session.end = { at: world.nowMs, node };
      await callLater(world, random, credential);
    },
  },
  {
    name: "call without a key",
    weight: 4,
    run: (world, random) => readUsers(world, random, NOBODY),
  },
  {
    name: "call with what has ended",
    weight: 6,
    async run(world, random) {
      const ended: Credential[] = [
        ...world.keys.filter((key) => key.isEnding).map((key) => ({ kind: "key", key }) as const),
        ...world.sessions
          .filter((session) => session.isEnding)
          .map((session) => ({ kind: "session", session }) as const),
      ];
      if (ended.length > 0) await readUsers(world, random, random.pick(ended));
    },
  },
];
