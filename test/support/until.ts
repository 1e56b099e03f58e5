/** Longer than a busy machine needs, and shorter than the time limit of a test. */
const LIMIT_MS = 60_000;

/** Polls until the condition returns a truthy value, and returns it. `describe` adds details to the error. */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  describe: () => unknown = () => condition,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Not met within ${LIMIT_MS} ms: ${describe()}`);
    await Bun.sleep(5);
  }
}
