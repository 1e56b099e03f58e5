const ASCII_CODES = 128;
const UNKNOWN = 0xffff;
/** Classes and other characters that are remembered at most. */
const MAX_CLASSES = 200;
const MAX_CODES = 1000;

/** Characters that pass the same tests of a pattern have the same class. Classes are found when a character first occurs. */
export class CharacterClasses {
  readonly #tests = new Map<string, CharacterTest>();
  readonly #ascii = new Uint16Array(ASCII_CODES).fill(UNKNOWN);
  readonly #others = new Map<number, number>();
  readonly #numbers = new Map<string, number>();
  /** For each class, 1 for each test that its characters pass. No character passes test 0. */
  readonly #passes: Uint8Array[] = [];

  /** Tests that use a regular expression, which takes longer than comparing a character. */
  get expressions(): number {
    let count = 0;
    for (const { isExpression } of this.#tests.values()) if (isExpression) count++;
    return count;
  }

  /** Adds a test for one character with this source, and returns its number. */
  addTest(source: string): number {
    const test = this.#tests.get(source) ?? new CharacterTest(source, this.#tests.size + 1);
    this.#tests.set(source, test);
    return test.number;
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
    const passes = new Uint8Array(this.#tests.size + 1);
    const character = String.fromCodePoint(code);
    for (const test of this.#tests.values()) passes[test.number] = test.passes(character) ? 1 : 0;
    const key = passes.join("");
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = Math.min(this.#numbers.size, MAX_CLASSES);
    if (number < MAX_CLASSES) this.#numbers.set(key, number);
    this.#passes[number] = passes;
    return number;
  }
}

/** Tests one character, with the regular expressions of the runtime unless the source is a single character. */
class CharacterTest {
  readonly isExpression: boolean;
  readonly #source: string;
  readonly #expression: RegExp;

  constructor(
    source: string,
    readonly number: number,
  ) {
    this.#source = source;
    this.isExpression = source.length > 1 || source === ".";
    this.#expression = new RegExp(`^(?:${source})$`, "u");
  }

  passes(character: string): boolean {
    return this.isExpression ? this.#expression.test(character) : character === this.#source;
  }
}
