import { median } from "../support/statistics.ts";
import { verdict } from "../support/table.ts";
import type { MeasuredService, ScimBench } from "./bench.ts";
import { patchOf } from "./scim-requests.ts";

const TARGET_MS = 500;
/** Creates beside the PATCH: far fewer than the service can make. */
const CREATES_PER_SECOND = 100;
const ALONE_MS = 3000;

/** How long other writes wait while one PATCH adds many members, and another one removes them. */
export const patchMembers: ScimBench = async ({ numbers, start }) => {
  const { patchMembers: members, rounds } = numbers;
  await using service = await start(members);
  const { caller } = service;
  const group = await caller.createGroup("Patched", []);
  const value = Array.from({ length: members }, (_, index) => ({ value: String(index + 1) }));
  const patch = (op: string) =>
    caller.send(`/scim/v2/Groups/g${group}`, "PATCH", patchOf({ op, path: "members", value }));
  const count = async () => Object(await caller.send(`/api/groups/${group}`)).memberCount;
  const both = async () => {
    const start = performance.now();
    await patch("Add");
    const added = await count();
    await patch("Remove");
    const ms = (performance.now() - start) / 2;
    if (added !== members || (await count()) !== 0) throw new Error("A PATCH has left other members.");
    return ms;
  };
  await both();
  const alone = await timeCreates(service, Bun.sleep(ALONE_MS));
  const patches: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const patching = both();
    beside.push(...(await timeCreates(service, patching)));
    patches.push(await patching);
  }
  const [longest, longestAlone] = [Math.max(...beside), Math.max(...alone)];
  const patchMs = median(patches);
  return {
    figures: { patchMs, creates: beside.length, longest, longestAlone, target: TARGET_MS },
    rows: [
      [
        `longest wait of ${beside.length} creates beside a PATCH of ${members} members, and alone, ms`,
        ...[longest.toFixed(0), longestAlone.toFixed(0), ""],
        ...[`< ${TARGET_MS}`, verdict(longest < TARGET_MS)],
      ],
      [`the PATCH takes, ms`, patchMs.toFixed(0), "", "", "", ""],
    ],
  };
};

/** Creates users at a steady rate until `end`. Each time counts from when the create was due: those that wait count, too. */
async function timeCreates({ caller }: MeasuredService, end: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = end.finally(() => {
    isOver = true;
  });
  const times: Promise<number>[] = [];
  const start = performance.now();
  while (!isOver) {
    const due = start + (times.length * 1000) / CREATES_PER_SECOND;
    await Promise.race([ended, Bun.sleep(Math.max(0, due - performance.now()))]);
    times.push(
      caller
        .send("/api/users", "POST", { name: `Beside ${times.length}` })
        .then(() => performance.now() - due),
    );
  }
  await ended;
  return Promise.all(times);
}
