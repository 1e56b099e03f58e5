/** How many users have each field, in the order in which the fields appear. */
export type FieldCounts = Map<string, number>;

export function addCount(counts: FieldCounts, field: string, count: number): void {
  counts.set(field, (counts.get(field) ?? 0) + count);
}

/** The `max` most frequent fields, in the same order. Of fields with the same count, the earlier ones. */
export function mostFrequent(counts: FieldCounts, max: number): FieldCounts {
  if (counts.size <= max) return counts;
  const entries = [...counts].map(([field, count], position) => ({ field, count, position }));
  const kept = entries.sort((a, b) => b.count - a.count || a.position - b.position).slice(0, max);
  kept.sort((a, b) => a.position - b.position);
  return new Map(kept.map(({ field, count }) => [field, count]));
}
