const MAX_ENTRIES = 1000;

/** Sets the newest entry of a map. Deletes the oldest if there are more than 1,000. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  // A map lists its keys in the order in which they were added.
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
}
