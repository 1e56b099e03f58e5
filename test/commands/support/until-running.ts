import { until } from "../../support/until.ts";

interface Running {
  readonly exited: Promise<unknown>;
}

/** Polls until the condition returns a truthy value, and fails at once if the process ends first. */
export function untilOf<Value>(
  { exited }: Running,
  condition: () => Value | Promise<Value>,
): Promise<NonNullable<Value>> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  return until(
    async () => {
      const isLast = hasEnded;
      const value = await condition();
      if (!value && isLast) throw new Error(`The process ended before this was met: ${condition}`);
      return value;
    },
    () => condition,
  );
}
