/** Calls `make` when the value is first needed, and keeps the value. A promise that rejects is not kept. */
export function lazy<T>(create: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => {
    if (cached) return cached.value;
    const value = create();
    cached = { value };
    if (value instanceof Promise) {
      value.catch(() => {
        cached = undefined;
      });
    }
    return value;
  };
}
