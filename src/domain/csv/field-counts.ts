/** How many users have each field, in the order in which the fields appear. */
export type FieldCounts = Map<string, number>;

export function addCount(counts: FieldCounts, field: string, count: number): void {
  counts.set(field, (counts.get(field) ?? 0) + count);
}

/** The `max` most frequent fields, in the same order. Of fields with the same count, the earlier ones. */
export function mostFrequent(counts: FieldCounts, max: number): FieldCounts {
  if (counts.size <= max) return counts;
  // Sorting a hundred thousand fields would take long. There are few different counts.
  const fieldsWithCount = new Map<number, number>();
  for (const count of counts.values()) fieldsWithCount.set(count, (fieldsWithCount.get(count) ?? 0) + 1);
  let room = max;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [count, fields] of [...fieldsWithCount].sort(([a], [b]) => b - a)) {
    lowest = count;
    if (fields >= room) break;
    room -= fields;
  }
  const kept: FieldCounts = new Map();
  for (const [field, count] of counts) {
    if (count > lowest || (count === lowest && room-- > 0)) kept.set(field, count);
  }
  return kept;
}
