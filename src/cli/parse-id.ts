/** The id of a record, or a version. Throws a `RangeError`. */
export function parseId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new RangeError(text);
  return id;
}
