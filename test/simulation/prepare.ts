import { changeSource } from "./change-source.ts";
import { defects } from "./defects.ts";
import type { EngineName } from "./engines.ts";
import type { Plan } from "./plan.ts";
import { hasSmallLimits, smallLimits } from "./small-limits.ts";

/** What to simulate. */
export interface SimulationOptions {
  /** Undefined if the seed decides. */
  readonly engine: EngineName | undefined;
  /** The name of a defect to put into the source. */
  readonly defect: string | undefined;
}

/**
 * Changes the source as the simulations of these seeds need it, and then imports it. All seeds of a process must have the same
 * limits as this one.
 */
export async function prepareSimulations(seed: number, { engine, defect }: SimulationOptions) {
  await changeSource([
    ...(hasSmallLimits(seed) ? smallLimits : []),
    ...defects.filter(({ name }) => name === defect),
  ]);
  const { makePlan } = await import("./plan.ts");
  const { simulate } = await import("./simulate.ts");
  const { shorten } = await import("./shorten.ts");
  const planFor = (each: number): Plan => ({ ...makePlan(each), ...(engine && { engine }) });
  return { simulate, shorten, planFor };
}
