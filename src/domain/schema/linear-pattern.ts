import { schemaLimits } from "../../contract/schema/schema.ts";
import { PatternError, type PatternNode, parsePattern } from "./parse-pattern.ts";

/*
 * Matches a regular expression in time linear in the text: a nondeterministic automaton that follows all states at once.
 * Sets of states are remembered, so that most characters cost one lookup.
 */

interface State {
  /** Tests a character, or undefined for a state without one. */
  readonly character: CharacterTest | undefined;
  readonly assertion?: "start" | "end";
  /** The states that follow. */
  readonly next: number[];
}

/** A set of states, with what is known about the next characters. */
interface StateSet {
  readonly states: readonly number[];
  /** Whether the pattern matches, whatever follows. */
  readonly matches: boolean;
  readonly following: Map<number, StateSet>;
}

const MAX_REMEMBERED = 2000;
/** After so many sets that one text needs and that are not known, the rest of the text is matched without remembering. */
const MAX_NEW_SETS = 500;
const MAX_CLOSURES = 2 ** 32 - 1;

export class LinearPattern {
  readonly #states: State[] = [];
  readonly #tests = new Map<string, CharacterTest>();
  readonly #sets = new Map<string, StateSet>();
  readonly #match: number;
  readonly #start: number;
  /** For each state, the number of the last closure that reached it. */
  readonly #reached: Uint32Array;
  #closures = 0;
  #remembered = 0;

  /** Fails with a `PatternError`. */
  constructor(pattern: string) {
    const node = parsePattern(pattern);
    this.#match = this.#add({ character: undefined, next: [] });
    this.#start = this.#build(node, this.#match);
    this.#reached = new Uint32Array(this.#states.length);
  }

  /** Whether the pattern matches somewhere in the text, like `RegExp.test`. */
  test(text: string): boolean {
    let set = this.#createSet(this.#close([this.#start], true, false));
    let newSets = 0;
    for (let at = 0; at < text.length; ) {
      if (set.matches) return true;
      if (newSets > MAX_NEW_SETS) return this.#testPlainly(set.states, text, at);
      const code = text.codePointAt(at) ?? 0;
      at += code > 0xffff ? 2 : 1;
      let next = set.following.get(code);
      if (!next) {
        newSets++;
        next = this.#findSet(this.#step(set.states, code));
        if (++this.#remembered > MAX_REMEMBERED) this.#forget();
        else set.following.set(code, next);
      }
      set = next;
    }
    if (set.matches) return true;
    return this.#matchesAtEnd(set.states, text === "");
  }

  #testPlainly(states: readonly number[], text: string, from: number): boolean {
    let current = states;
    for (let at = from; at < text.length; ) {
      const code = text.codePointAt(at) ?? 0;
      at += code > 0xffff ? 2 : 1;
      current = this.#step(current, code);
      if (this.#isReached(this.#match)) return true;
    }
    return this.#matchesAtEnd(current, false);
  }

  #matchesAtEnd(states: readonly number[], atStart: boolean): boolean {
    this.#close(states, atStart, true);
    return this.#isReached(this.#match);
  }

  #step(states: readonly number[], code: number): number[] {
    const next: number[] = [];
    for (const index of states) {
      const state = this.#states[index];
      if (state?.character?.test(code)) next.push(state.next[0] ?? 0);
    }
    // A match can begin at any character.
    next.push(this.#start);
    return this.#close(next, false, false);
  }

  /** The states that can be reached without a character, if they wait for a character or for the end. */
  #close(from: readonly number[], atStart: boolean, atEnd: boolean): number[] {
    const reached = this.#reached;
    if (this.#closures === MAX_CLOSURES) {
      reached.fill(0);
      this.#closures = 0;
    }
    const closure = ++this.#closures;
    const waiting: number[] = [];
    const pending = [...from];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (reached[index] === closure) continue;
      reached[index] = closure;
      const state = this.#states[index];
      if (!state) continue;
      if (state.character || (state.assertion === "end" && !atEnd)) waiting.push(index);
      else if (state.assertion !== "start" || atStart) for (const next of state.next) pending.push(next);
    }
    return waiting;
  }

  /** Whether the last closure has this state. */
  #isReached(index: number): boolean {
    return this.#reached[index] === this.#closures;
  }

  #createSet(states: readonly number[]): StateSet {
    return { states, matches: this.#isReached(this.#match), following: new Map() };
  }

  /** The set of these states, which the last closure returned. */
  #findSet(states: number[]): StateSet {
    const key = `${this.#isReached(this.#match)} ${states.sort((a, b) => a - b).join()}`;
    const known = this.#sets.get(key);
    if (known) return known;
    const set = this.#createSet(states);
    this.#sets.set(key, set);
    return set;
  }

  #forget(): void {
    this.#remembered = 0;
    for (const set of this.#sets.values()) set.following.clear();
    this.#sets.clear();
  }

  /** Adds the states of a node, and returns the first one. */
  #build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "character":
        return this.#add({ character: this.#characterTest(node.source), next: [next] });
      case "start":
      case "end":
        return this.#add({ character: undefined, assertion: node.kind, next: [next] });
      case "sequence":
        return node.nodes.reduceRight((after, part) => this.#build(part, after), next);
      case "choice":
        return this.#add({ character: undefined, next: node.nodes.map((part) => this.#build(part, next)) });
      case "repeat":
        return this.#buildRepeat(node, next);
    }
  }

  #buildRepeat({ node, min, max }: Extract<PatternNode, { kind: "repeat" }>, next: number): number {
    let first = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop: number[] = [next];
      first = this.#add({ character: undefined, next: loop });
      loop.push(this.#build(node, first));
    } else {
      for (let count = min; count < max; count++) {
        first = this.#add({ character: undefined, next: [next, this.#build(node, first)] });
      }
    }
    for (let count = 0; count < min; count++) {
      const before = first;
      first = this.#build(node, first);
      // Repeating nothing changes nothing.
      if (first === before) break;
    }
    return first;
  }

  #add(state: State): number {
    if (this.#states.length >= schemaLimits.patternStates) {
      throw new PatternError("The pattern is too long, or repeats too much. Simplify it, or use maxLength.");
    }
    return this.#states.push(state) - 1;
  }

  #characterTest(source: string): CharacterTest {
    const test = this.#tests.get(source) ?? new CharacterTest(source);
    this.#tests.set(source, test);
    return test;
  }
}

/** Tests one character with the regular expressions of the runtime, once per character. */
class CharacterTest {
  static readonly #maxRemembered = 5000;
  static readonly #asciiCodes = 128;
  readonly #expression: RegExp;
  /** 0: unknown, 1: does not match, 2: matches. */
  readonly #ascii = new Uint8Array(CharacterTest.#asciiCodes);
  readonly #others = new Map<number, boolean>();

  constructor(source: string) {
    this.#expression = new RegExp(`^(?:${source})$`, "u");
  }

  test(code: number): boolean {
    if (code >= CharacterTest.#asciiCodes) return this.#testOther(code);
    if (this.#ascii[code] === 0) this.#ascii[code] = this.#run(code) ? 2 : 1;
    return this.#ascii[code] === 2;
  }

  #testOther(code: number): boolean {
    const known = this.#others.get(code);
    if (known !== undefined) return known;
    const matches = this.#run(code);
    if (this.#others.size >= CharacterTest.#maxRemembered) this.#others.clear();
    this.#others.set(code, matches);
    return matches;
  }

  #run(code: number): boolean {
    return this.#expression.test(String.fromCodePoint(code));
  }
}
