/** Reads the id from the JSON of a row, in UTF-8. The id comes first. */
export function readId(json: Uint8Array): number {
  let id = 0;
  for (let i = '{"id":'.length; i < json.length; i++) {
    const digit = (json[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    id = id * 10 + digit;
  }
  return id;
}
