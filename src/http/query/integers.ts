/** Parses an integer in plain decimal. Returns undefined for any other text, and for integers outside of the range. */
export function parseInteger(text: string, minimum: number, maximum: number): number | undefined {
  const value = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  return value >= minimum && value <= maximum ? value : undefined;
}
