/** Ids as a column has them: a JSON array; null for none. */
export function toStoredIds(ids: readonly number[]): string | null {
  return ids.length > 0 ? JSON.stringify(ids) : null;
}

export function parseStoredIds(text: string | null): number[] {
  return text === null ? [] : JSON.parse(text);
}
