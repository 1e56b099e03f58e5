import { schemaLimits } from "../../contract/schema/schema.ts";
import { Automaton } from "./automaton.ts";
import { isAnchored, longestMatch, PatternError, parsePattern } from "./parse-pattern.ts";

/** A set of states, with what is known about the next characters. */
interface StateSet {
  readonly states: Int32Array;
  /** Whether the pattern matches, whatever follows. */
  readonly matches: boolean;
  /** Whether the pattern matches if the text ends here; undefined if this is not known yet. */
  matchesAtEnd: boolean | undefined;
  /** The following set for each class of characters. */
  readonly following: (StateSet | undefined)[];
}

/** Sets that a pattern remembers at most. */
const MAX_SETS = 500;
/** After so many sets that one text needs and that are not known, the rest of the text is matched without remembering. */
const MAX_NEW_SETS = 100;

/** Matches a regular expression in time linear in the text. Sets of states are remembered, so that most characters cost one lookup. */
export class LinearPattern {
  readonly #automaton: Automaton;
  readonly #maxCharacters: number;
  /** The result for a longer text: true if `maxLength` rejects it. */
  readonly #ifLonger: boolean;
  readonly #matchesEmpty: boolean;
  readonly #start: StateSet;
  readonly #sets = new Map<string, StateSet>();

  /** `maxLength` is the keyword beside the pattern. Fails with a `PatternError`. */
  constructor(pattern: string, maxLength = Number.POSITIVE_INFINITY) {
    const node = parsePattern(pattern);
    this.#automaton = new Automaton(node);
    this.#maxCharacters = Math.min(maxLength, schemaLimits.patternText);
    this.#ifLonger = maxLength <= schemaLimits.patternText;
    const longest = isAnchored(node) ? longestMatch(node) + 1 : Number.POSITIVE_INFINITY;
    const { size, maxSteps } = this.#automaton;
    // The end of the text takes steps, too.
    const limit = Math.floor(schemaLimits.patternWork / maxSteps) - 1;
    if (Math.min(this.#maxCharacters, longest) > limit) {
      throw new PatternError(
        `The pattern takes too long with a long text. Simplify it, or add a maxLength of at most ${limit}.`,
      );
    }
    const states = new Int32Array(size);
    this.#automaton.start(states, true);
    this.#matchesEmpty = this.#automaton.matches;
    this.#start = this.#createSet(states.slice(0, this.#automaton.start(states, false)));
  }

  /** The number of states. */
  get size(): number {
    return this.#automaton.size;
  }

  /** The steps of the automaton so far. For each text, `schemaLimits.patternWork` limits them. */
  get steps(): number {
    return this.#automaton.steps;
  }

  /** The steps that a text of so many characters takes at most. */
  maxSteps(characters: number): number {
    return (characters + 1) * this.#automaton.maxSteps;
  }

  /** Whether the pattern matches somewhere in the text, like `RegExp.test`. */
  test(text: string): boolean {
    if (text === "") return this.#matchesEmpty;
    const { classes } = this.#automaton;
    let set = this.#start;
    let newSets = 0;
    let characters = 0;
    for (let at = 0; at < text.length; characters++) {
      if (set.matches) return true;
      if (set.states.length === 0) return false;
      if (characters === this.#maxCharacters) return this.#ifLonger;
      if (newSets > MAX_NEW_SETS) return this.#testPlainly(set.states, text, at, characters);
      const code = text.codePointAt(at) ?? 0;
      at += code > 0xffff ? 2 : 1;
      const characterClass = classes.classOf(code);
      let next = set.following[characterClass];
      if (!next) {
        newSets++;
        next = this.#follow(set, characterClass);
        if (classes.isRemembered(characterClass)) set.following[characterClass] = next;
      }
      set = next;
    }
    set.matchesAtEnd ??= this.#automaton.matchesAtEnd(set.states, set.states.length);
    return set.matches || set.matchesAtEnd;
  }

  /** Matches the rest of a text, after this number of characters. */
  #testPlainly(states: Int32Array, text: string, from: number, characters: number): boolean {
    const automaton = this.#automaton;
    let [current, next] = [new Int32Array(automaton.size), new Int32Array(automaton.size)];
    current.set(states);
    let count = states.length;
    let left = this.#maxCharacters - characters;
    for (let at = from; at < text.length; left--) {
      if (left === 0) return this.#ifLonger;
      const code = text.codePointAt(at) ?? 0;
      at += code > 0xffff ? 2 : 1;
      count = automaton.step(current, count, automaton.classes.classOf(code), next);
      if (automaton.matches) return true;
      [current, next] = [next, current];
    }
    return automaton.matchesAtEnd(current, count);
  }

  #follow({ states }: StateSet, characterClass: number): StateSet {
    const next = new Int32Array(this.#automaton.size);
    const count = this.#automaton.step(states, states.length, characterClass, next);
    const found = next.slice(0, count).sort();
    const key = `${this.#automaton.matches} ${found.join()}`;
    const known = this.#sets.get(key);
    if (known) return known;
    if (this.#sets.size >= MAX_SETS) this.#forget();
    const set = this.#createSet(found);
    this.#sets.set(key, set);
    return set;
  }

  #createSet(states: Int32Array): StateSet {
    return { states, matches: this.#automaton.matches, matchesAtEnd: undefined, following: [] };
  }

  #forget(): void {
    for (const set of [this.#start, ...this.#sets.values()]) set.following.length = 0;
    this.#sets.clear();
  }
}
