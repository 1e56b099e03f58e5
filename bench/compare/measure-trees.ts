import { interleave } from "../support/rounds.ts";
import type { RequestKind } from "./request-kinds.ts";
import type { Cost, Tree, TreeService } from "./tree.ts";

/** The CPU time that a process spends on requests of a kind before the first batch: it compiles its code meanwhile. */
const WARM_UP_MS = 500;
/** For the first kind, whose code is mostly that of all kinds. */
const FIRST_WARM_UP_MS = 1000;
const FIRST_REQUESTS = 4;

export interface Plan {
  readonly starts: number;
  readonly rounds: number;
  /** The CPU time of a batch. */
  readonly milliseconds: number;
  readonly connections: number;
}

/** The batches of one kind between two starts of the services. */
export interface StartCosts {
  readonly base: readonly Cost[];
  readonly changed: readonly Cost[];
}

interface RequestCounts {
  readonly warmUp: number;
  readonly batch: number;
}

/**
 * Measures all kinds on both trees. Both services run at the same time, and short batches alternate between them: the rest of the
 * machine's work affects both alike. Two processes of one tree differ by some percent, so both start several times.
 */
export async function measureTrees(
  base: Tree,
  changed: Tree,
  kinds: readonly RequestKind[],
  plan: Plan,
): Promise<Map<RequestKind, StartCosts[]>> {
  const results = new Map<RequestKind, StartCosts[]>(kinds.map((kind) => [kind, []]));
  const counts = new Map<RequestKind, RequestCounts>();
  for (let start = 0; start < plan.starts; start++) {
    if (process.stderr.isTTY) process.stderr.write(`\rstart ${start + 1} of ${plan.starts} `);
    // The tree that starts first also gets the first batch.
    const [first, second] = start % 2 === 0 ? [base, changed] : [changed, base];
    await using firstService = await first.start(plan.connections);
    await using secondService = await second.start(plan.connections);
    const services = [firstService, secondService];
    for (const kind of kinds) {
      const warmUpMs = kind === kinds[0] ? FIRST_WARM_UP_MS : WARM_UP_MS;
      const count = counts.get(kind) ?? (await chooseCounts(kind, services, warmUpMs, plan));
      if (counts.has(kind)) for (const service of services) await service.run(kind, count.warmUp);
      counts.set(kind, count);
      // An even number of rounds gives the order first, second, second, first.
      const batches = await interleave(services, 2 * plan.rounds * kind.share, (service) =>
        service.run(kind, count.batch),
      );
      const costsOf = (tree: Tree) =>
        [...batches].flatMap(([service, costs]) => (service.tree === tree ? costs : []));
      results.get(kind)?.push({ base: costsOf(base), changed: costsOf(changed) });
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  return results;
}

/** Warms both services up, and finds out how many requests take as long as a batch should. */
async function chooseCounts(
  kind: RequestKind,
  services: readonly TreeService[],
  warmUpMs: number,
  { milliseconds, rounds }: Plan,
): Promise<RequestCounts> {
  let [warmUp, used, perRequest] = [0, 0, 0];
  for (
    let count = FIRST_REQUESTS;
    used < 1000 * warmUpMs;
    count = perRequest * count < 1000 * milliseconds ? 2 * count : count
  ) {
    for (const service of services) perRequest = (await service.run(kind, count)).total;
    warmUp += count;
    used += perRequest * count;
  }
  const most = Math.floor((kind.most - warmUp) / (2 * rounds * kind.share));
  return { warmUp, batch: Math.max(1, Math.min(most, Math.round((1000 * milliseconds) / perRequest))) };
}
