/** Longer than a busy machine needs, and shorter than the time limit of a test. */
const LIMIT_MS = 60_000;

/** Longest pause between two polls. */
const MAX_PAUSE_MS = 50;

/** Polls until the condition returns a truthy value, and returns it. `describe` adds details to the error. */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  describe: () => unknown = () => condition,
): Promise<NonNullable<Value>> {
  const start = performance.now();
  for (;;) {
    const value = await condition();
    if (value) return value;
    const elapsed = performance.now() - start;
    if (elapsed > LIMIT_MS) throw new Error(`Not met within ${LIMIT_MS} ms: ${describe()}`);
    // Poll less often the longer it takes: other tests need the processor.
    await Bun.sleep(Math.min(5 + elapsed / 20, MAX_PAUSE_MS));
  }
}

/** Repeats an assertion about a page until it passes: a page renders a moment after what it shows has changed. */
export async function untilPasses(assertion: () => Promise<unknown>): Promise<void> {
  let failure: unknown;
  const passes = () =>
    assertion().then(
      () => true,
      (error: unknown) => {
        failure = error;
        return false;
      },
    );
  await until(passes).catch(() => {
    throw failure;
  });
}
