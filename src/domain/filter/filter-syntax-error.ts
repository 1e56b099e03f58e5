/** A filter expression that is not valid. The message says where and why. */
export class FilterSyntaxError extends Error {
  override readonly name = "FilterSyntaxError";

  constructor(
    /** The number of the character, from 1. A character is a Unicode code point. */
    readonly position: number,
    readonly expected: string,
    found?: string,
  ) {
    super(`Character ${position}: expected ${expected}${found === undefined ? "" : `, but found ${found}`}.`);
  }
}
