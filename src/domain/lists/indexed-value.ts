import { type FieldValue, fieldLimits } from "../../contract/users/field-schemas.ts";
import { type ValueRow, valueKinds } from "./value-index.ts";

/** Stands for a long text in `exact`. A text that looks the same has an empty `exact`. */
const DIGEST = /^\p{Cc}[0-9a-f]{64}$/u;

/** The value of an index row. Undefined for kinds that are not listed as values, and for long texts. */
export function decodeValue({ value, exact }: Pick<ValueRow, "value" | "exact">): FieldValue | undefined {
  const key = value.slice(1);
  switch (value[0]) {
    case valueKinds.number:
      return decodeNumber(key);
    case valueKinds.text:
      if (key.length > fieldLimits.textCharacters) return undefined;
      return exact === "" || DIGEST.test(exact) ? key : exact;
    case valueKinds.boolean:
      return key === "t";
    default:
      return undefined;
  }
}

const double = new DataView(new ArrayBuffer(8));

/** The number that `numberKey` encoded. */
function decodeNumber(key: string): number {
  const bits = BigInt(`0x${key.padEnd(16, "0")}`);
  const isNegative = bits >> 63n === 0n;
  double.setBigUint64(0, isNegative ? ~bits : bits ^ (1n << 63n));
  return double.getFloat64(0);
}

/** The first text after all texts that start with this one. */
export function textAfterPrefix(prefix: string): string {
  const characters = [...prefix];
  while (characters.at(-1) === "\u{10ffff}") characters.pop();
  const code = characters.pop()?.codePointAt(0);
  if (code === undefined) throw new RangeError("No text sorts after all texts with this prefix.");
  // The codes between are halves of surrogate pairs.
  return characters.join("") + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
}
