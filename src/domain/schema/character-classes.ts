const ASCII_CODES = 128;
const UNKNOWN = 0xffff;
/** Classes and other characters that are remembered at most. */
const MAX_CLASSES = 200;
const MAX_CODES = 1000;

/** Testing a character with a regular expression takes as long as so many steps of an automaton. */
export const EXPRESSION_STEPS = 5;

/** `a`, `\\.` or `[.]`: the source of a single character. */
const SINGLE_CHARACTER = /^(?:([^.\\])|\\([^\p{L}\p{N}])|\[([^\\^\]])\])$/u;

/** Characters that pass the same tests of a pattern have the same class. Classes are found when a character first occurs. */
export class CharacterClasses {
  /** Tests for single characters. A character passes at most one of them, which one lookup finds. */
  readonly #singles = new Map<string, number>();
  /** All other tests, by their source. The regular expressions of the runtime know Unicode. */
  readonly #expressions = new Map<string, CharacterExpression>();
  readonly #ascii = new Uint16Array(ASCII_CODES).fill(UNKNOWN);
  readonly #others = new Map<number, number>();
  readonly #numbers = new Map<string, number>();
  /** For each class, 1 for each test that its characters pass. No character passes test 0. */
  readonly #passes: Uint8Array[] = [];
  #steps = 0;

  /** Tests that use a regular expression. */
  get expressions(): number {
    return this.#expressions.size;
  }

  /** What finding classes has cost so far, in steps of an automaton. */
  get steps(): number {
    return this.#steps;
  }

  /** Adds a test for one character with this source, and returns its number. */
  addTest(source: string): number {
    const character = SINGLE_CHARACTER.exec(source)?.slice(1).join("");
    const known =
      character === undefined ? this.#expressions.get(source)?.test : this.#singles.get(character);
    if (known !== undefined) return known;
    const test = this.#singles.size + this.#expressions.size + 1;
    if (character !== undefined) this.#singles.set(character, test);
    else this.#expressions.set(source, { test, expression: new RegExp(`^(?:${source})$`, "u") });
    return test;
  }

  classOf(code: number): number {
    if (code < ASCII_CODES) {
      const known = this.#ascii[code] ?? UNKNOWN;
      if (known !== UNKNOWN) return known;
    } else {
      const known = this.#others.get(code);
      if (known !== undefined) return known;
    }
    const found = this.#findClass(code);
    if (found === MAX_CLASSES) return found;
    if (code < ASCII_CODES) this.#ascii[code] = found;
    else {
      if (this.#others.size >= MAX_CODES) this.#others.clear();
      this.#others.set(code, found);
    }
    return found;
  }

  /** Whether the class stands for the same characters later. */
  isRemembered(characterClass: number): boolean {
    return characterClass < MAX_CLASSES;
  }

  passes(characterClass: number): Uint8Array {
    return this.#passes[characterClass] ?? new Uint8Array();
  }

  #findClass(code: number): number {
    this.#steps += EXPRESSION_STEPS * this.#expressions.size;
    const character = String.fromCodePoint(code);
    let passed = String(this.#singles.get(character) ?? 0);
    for (const { test, expression } of this.#expressions.values()) {
      if (expression.test(character)) passed += ` ${test}`;
    }
    const known = this.#numbers.get(passed);
    if (known !== undefined) return known;
    const number = Math.min(this.#numbers.size, MAX_CLASSES);
    if (number < MAX_CLASSES) this.#numbers.set(passed, number);
    const passes = new Uint8Array(this.#singles.size + this.#expressions.size + 1);
    for (const test of passed.split(" ")) passes[Number(test)] = 1;
    passes[0] = 0;
    this.#passes[number] = passes;
    return number;
  }
}

interface CharacterExpression {
  readonly test: number;
  readonly expression: RegExp;
}
