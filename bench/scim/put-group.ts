import { median } from "../support/statistics.ts";
import { verdict } from "../support/table.ts";
import type { ScimBench } from "./bench.ts";

const TARGETS = { ms: 1000, turnMs: 10 } as const;
/** Members that leave and members that come, together. */
const CHANGED = 10;

/** Replaces a group with many members, of whom some are others, as Okta does. */
export const putGroup: ScimBench = async ({ numbers, startWatched }) => {
  const { putMembers, rounds } = numbers;
  const half = CHANGED / 2;
  await using service = await startWatched(putMembers + half);
  const { caller } = service;
  const ids = Array.from({ length: putMembers + half }, (_, index) => index + 1);
  // Either the first ones or the last ones are no members.
  const lists = [ids.slice(0, putMembers), ids.slice(half)];
  const group = await caller.createGroup("Put", lists[0] ?? []);
  const put = async (round: number) => {
    const members = lists[round % 2]?.map((id) => ({ value: String(id), display: `Person ${id}` }));
    const body = JSON.stringify({ displayName: "Put", members });
    await service.takeLongestTurn();
    const start = performance.now();
    const text = await caller.sendText(`/scim/v2/Groups/g${group}`, "PUT", "application/scim+json", body);
    const ms = performance.now() - start;
    return { ms, turnMs: await service.takeLongestTurn(), bytes: body.length, answered: text.length };
  };
  // The first one compiles the program.
  for (let round = 1; round <= 2; round++) await put(round);
  const before = await readVersion();
  const results: Awaited<ReturnType<typeof put>>[] = [];
  for (let round = 1; round <= rounds; round++) results.push(await put(round));
  if ((await readVersion()) !== before + rounds) throw new Error("Not each PUT has made one change.");
  const ms = median(results.map((result) => result.ms));
  const turns = results.map(({ turnMs }) => turnMs);
  // A garbage collection adds to some rounds. A stall comes back in each of them.
  const [turnMs, medianTurnMs] = [Math.min(...turns), median(turns)];
  const megabytes = (results[0]?.bytes ?? 0) / 1e6;
  return {
    figures: { ms, turnMs, medianTurnMs, results, targets: TARGETS },
    rows: [
      [
        `PUT of ${putMembers} members (${megabytes.toFixed(1)} MB), ${CHANGED} changed, ms`,
        ...[ms.toFixed(0), "", "", `≤ ${TARGETS.ms}`, verdict(ms <= TARGETS.ms)],
      ],
      [
        "its longest turn of the event loop, ms of CPU time (median of rounds beside it)",
        ...[turnMs.toFixed(1), medianTurnMs.toFixed(1), ""],
        ...[`≤ ${TARGETS.turnMs}`, verdict(turnMs <= TARGETS.turnMs)],
      ],
    ],
  };

  async function readVersion(): Promise<number> {
    return Object(await caller.send(`/api/groups/${group}`)).version;
  }
};
