import type { TraceContext } from "./trace-context.ts";

/** Decides whether a span is recorded. */
export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

/** The standard values of OTEL_TRACES_SAMPLER. */
export type SamplerName =
  | "always_on"
  | "always_off"
  | "traceidratio"
  | "parentbased_always_on"
  | "parentbased_always_off"
  | "parentbased_traceidratio";

/** How many hexadecimal digits a number holds exactly. */
const EXACT_DIGITS = 13;

export function createSampler(name: SamplerName, ratio: number): Sampler {
  const [, parentBased, rule] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  const sampleRoot = rootSampler(rule ?? "", ratio);
  return (traceId, parent) => (parentBased && parent ? parent.sampled : sampleRoot(traceId));
}

function rootSampler(rule: string, ratio: number): (traceId: string) => boolean {
  if (rule === "always_on") return () => true;
  if (rule === "always_off") return () => false;
  // Every service that sees this trace decides the same.
  const limit = ratio * 16 ** EXACT_DIGITS;
  return (traceId) => Number.parseInt(traceId.slice(-EXACT_DIGITS), 16) < limit;
}
