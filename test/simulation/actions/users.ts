import type { Action } from "../action.ts";
import type { Answer } from "../observation.ts";
import type { Random } from "../random.ts";
import type { CallRequest, World } from "../world.ts";
import { visit } from "./events.ts";

/** Few emails: some creates are refused. */
const EMAILS = 12;

type Write = Omit<CallRequest, "credential">;

/** Followers that read the events of a user after a purge, on any nodes. */
const VISITS = 3;

/** A caller that gets no certain answer to a create may send it again, to any node. */
const MOST_TRIES = 3;

async function send(
  world: World,
  random: Random,
  write: Write,
  credential = world.pickCredential(random),
): Promise<Answer | undefined> {
  const node = world.pickNode(random);
  return node && world.call(node, { ...write, credential });
}

/** Any user that somebody has created. */
function pickUser(world: World, random: Random): number | undefined {
  return world.userIds.length > 0 ? random.pick(world.userIds) : undefined;
}

/** The user that was changed last: nodes still have its events in memory. */
function findLastUser({ history }: World): number | undefined {
  return history.changes.findLast(({ subject }) => subject.type === "user")?.subject.id;
}

function onUser(
  weight: number,
  name: string,
  toWrite: (id: number, random: Random, world: World) => Write,
): Action {
  return {
    name,
    weight,
    async run(world, random) {
      const id = pickUser(world, random);
      if (id !== undefined) await send(world, random, toWrite(id, random, world));
    },
  };
}

export const userActions: readonly Action[] = [
  {
    name: "create a user",
    weight: 12,
    async run(world, random) {
      const isRepeated = random.chance(0.5);
      const write = {
        method: "POST",
        path: "/api/users",
        json: { name: "Ada", email: `${random.integer(EMAILS)}@example.com`, mark: world.nextMark() },
        ...(isRepeated && { headers: { "idempotency-key": `key-${random.integer(1e9)}` } }),
      };
      // An Idempotency-Key belongs to its caller.
      const credential = world.pickCredential(random);
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const answer = await send(world, random, write, credential);
        if (answer?.status === 201) world.userIds.push(JSON.parse(answer.text).id);
        if (!isRepeated || (answer && answer.status < 500)) return;
      }
    },
  },
  onUser(14, "change a user", (id, _, world) => ({
    method: "PATCH",
    path: `/api/users/${id}`,
    json: { mark: world.nextMark() },
  })),
  onUser(4, "delete a user", (id) => ({ method: "DELETE", path: `/api/users/${id}` })),
  {
    ...onUser(3, "restore a user", (id) => ({
      method: "POST",
      path: `/api/deleted-users/${id}/restore`,
      json: { email: null },
    })),
    isPlain: false,
  },
  {
    name: "purge a user",
    weight: 2,
    isPlain: false,
    async run(world, random) {
      const id = random.chance(0.5) ? findLastUser(world) : pickUser(world, random);
      if (id === undefined) return;
      const path = random.chance(0.5) ? `/api/users/${id}?purge=true` : `/api/deleted-users/${id}`;
      const answer = await send(world, random, { method: "DELETE", path });
      if (answer?.status !== 204) return;
      // Some who saw nothing of the user so far read its events.
      await world.machine.sleep(random.between(1500, 2500));
      const { events } = world.history;
      const first = events.findIndex(({ subject }) => subject.type === "user" && subject.id === id);
      const after = events[first - 1]?.id;
      const visits = Array.from({ length: VISITS }, () => visit(world, random, { kind: "stream", after }));
      await Promise.all(visits);
    },
  },
  onUser(12, "read a user", (id) => ({ path: `/api/users/${id}` })),
];
