import fc from "fast-check";
import type { Json } from "../../src/contract/json.ts";

/** Decides how each part of a value is written: the next of these numbers from 0 to 5. */
const arbitrarySpelling = fc.array(fc.nat(5), { minLength: 1, maxLength: 20 });

const spaces = ["", "", "", " ", "\n\t", "\r\n  "];

/** The values that `values` makes, as JSON with any white space and escapes, and with members in any number. */
export function spelledJson(values: fc.Arbitrary<Json>): fc.Arbitrary<string> {
  return fc.tuple(values, arbitrarySpelling).map(([value, spelling]) => spellJson(value, spelling));
}

function spellJson(value: Json, spelling: readonly number[]): string {
  let choices = 0;
  const next = () => spelling[choices++ % spelling.length] ?? 0;
  const space = () => spaces[next()] ?? "";
  const spellText = (text: string) =>
    JSON.stringify(text).replace(/[^"\\]|\\./g, (part) =>
      part.length === 1 && next() === 5 ? escaped(part) : part,
    );
  const spell = (each: Json): string => {
    const list = (items: readonly string[]) => (items.length > 0 ? items.join(",") : space());
    if (typeof each === "string") return space() + spellText(each) + space();
    if (Array.isArray(each)) return `${space()}[${list(each.map(spell))}]${space()}`;
    if (typeof each !== "object" || each === null) return space() + JSON.stringify(each) + space();
    const members = Object.entries(each).map(([name, member]) => `${spell(name)}:${spell(member)}`);
    return `${space()}{${list(members)}}${space()}`;
  };
  return spell(value);
}

function escaped(character: string): string {
  const digits = character.charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${character.charCodeAt(0) % 2 ? digits.toUpperCase() : digits}`;
}
