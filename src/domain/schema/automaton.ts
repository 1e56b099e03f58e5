import { schemaLimits } from "../../contract/schema/schema.ts";
import { CharacterClasses, EXPRESSION_STEPS } from "./character-classes.ts";
import { PatternError, type PatternNode } from "./parse-pattern.ts";

/** What a state waits for. */
const kinds = { nothing: 0, character: 1, start: 2, end: 3 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

interface State {
  readonly kind: Kind;
  /** The number of the test that a character must pass. */
  readonly test: number;
  /** The states that follow. */
  readonly next: number[];
}

/** The place of states in the text. */
interface Place {
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

const inside: Place = { atStart: false, atEnd: false };
const MAX_CLOSURES = 2 ** 32 - 1;

/** The nondeterministic automaton of a pattern. It follows all states at once. */
export class Automaton {
  readonly classes = new CharacterClasses();
  readonly #states: State[] = [];
  readonly #match: number;
  readonly #first: number;
  /** The states as arrays of numbers: each state follows its edges from `edgeStarts[state]` to `edgeStarts[state + 1]`. */
  readonly #kinds: Uint8Array;
  readonly #tests: Int16Array;
  readonly #edgeStarts: Int32Array;
  readonly #edges: Int32Array;
  /** For each state, the number of the last closure that reached it. */
  readonly #reached: Uint32Array;
  readonly #pending: Int32Array;
  #closures = 0;
  #followed = 0;

  /** Fails with a `PatternError` if the pattern has too many states. */
  constructor(node: PatternNode) {
    this.#match = this.#add(kinds.nothing, []);
    this.#first = this.#build(node, this.#match);
    const states = this.#states;
    this.#kinds = Uint8Array.from(states, ({ kind }) => kind);
    this.#tests = Int16Array.from(states, ({ test }) => test);
    this.#edges = Int32Array.from(states.flatMap(({ next }) => next));
    this.#edgeStarts = new Int32Array(states.length + 1);
    for (const [index, { next }] of states.entries()) {
      this.#edgeStarts[index + 1] = (this.#edgeStarts[index] ?? 0) + next.length;
    }
    this.#reached = new Uint32Array(states.length);
    // Each state is pending once for each state before it, and once at the beginning.
    this.#pending = new Int32Array(this.#edges.length + states.length + 1);
  }

  /** The number of states, which one character can reach at most. */
  get size(): number {
    return this.#states.length;
  }

  /** The steps that one character, or the end of the text, takes at most. */
  get maxSteps(): number {
    // A match can begin after any character: that is one more than the edges.
    return this.#edges.length + 1 + EXPRESSION_STEPS * this.classes.expressions;
  }

  /** The steps taken so far. Following an edge is one step. */
  get steps(): number {
    return this.#followed + this.classes.steps;
  }

  /** Whether the last states that were found contain the match. */
  get matches(): boolean {
    return this.#reached[this.#match] === this.#closures;
  }

  /** Writes the states before the first character into `to`, and returns their number. */
  start(to: Int32Array, atEnd: boolean): number {
    this.#begin();
    this.#pending[0] = this.#first;
    return this.#close(1, { atStart: true, atEnd }, to);
  }

  /** Writes the states after a character of this class into `to`, and returns their number. */
  step(from: Int32Array, count: number, characterClass: number, to: Int32Array): number {
    this.#begin();
    const passes = this.classes.passes(characterClass);
    const pending = this.#pending;
    const [tests, edges, edgeStarts] = [this.#tests, this.#edges, this.#edgeStarts];
    // A match can begin after any character.
    pending[0] = this.#first;
    let next = 1;
    for (let index = 0; index < count; index++) {
      const state = from[index] ?? 0;
      if (passes[tests[state] ?? 0] === 1) pending[next++] = edges[edgeStarts[state] ?? 0] ?? 0;
    }
    return this.#close(next, inside, to);
  }

  /** Whether the pattern matches if the text ends in these states. */
  matchesAtEnd(from: Int32Array, count: number): boolean {
    this.#begin();
    this.#pending.set(from.subarray(0, count));
    this.#close(count, { atStart: false, atEnd: true }, new Int32Array(this.size));
    return this.matches;
  }

  #begin(): void {
    if (this.#closures === MAX_CLOSURES) {
      this.#reached.fill(0);
      this.#closures = 0;
    }
    this.#closures++;
  }

  /** Follows the pending states without a character. Writes those that wait for a character, or for the end, into `to`. */
  #close(pendingStates: number, { atStart, atEnd }: Place, to: Int32Array): number {
    const closure = this.#closures;
    const [states, reached, pending] = [this.#kinds, this.#reached, this.#pending];
    const [edges, edgeStarts] = [this.#edges, this.#edgeStarts];
    let left = pendingStates;
    let count = 0;
    let followed = 0;
    while (left > 0) {
      followed++;
      const state = pending[--left] ?? 0;
      if (reached[state] === closure) continue;
      reached[state] = closure;
      const kind = states[state];
      if (kind === kinds.character || (kind === kinds.end && !atEnd)) to[count++] = state;
      else if (kind !== kinds.start || atStart) {
        const end = edgeStarts[state + 1] ?? 0;
        for (let edge = edgeStarts[state] ?? 0; edge < end; edge++) pending[left++] = edges[edge] ?? 0;
      }
    }
    this.#followed += followed;
    return count;
  }

  /** Adds the states of a node, and returns the first one. */
  #build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "character":
        return this.#add(kinds.character, [next], this.classes.addTest(node.source));
      case "start":
      case "end":
        return this.#add(kinds[node.kind], [next]);
      case "sequence":
        return node.nodes.reduceRight((after, part) => this.#build(part, after), next);
      case "choice":
        // Alternatives without states, as in `(a||)`, lead to the same state.
        return this.#add(kinds.nothing, [...new Set(node.nodes.map((part) => this.#build(part, next)))]);
      case "repeat":
        return this.#buildRepeat(node, next);
    }
  }

  #buildRepeat({ node, min, max }: Extract<PatternNode, { kind: "repeat" }>, next: number): number {
    let first = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop: number[] = [next];
      first = this.#add(kinds.nothing, loop);
      loop.push(this.#build(node, first));
    } else {
      for (let count = min; count < max; count++) {
        first = this.#add(kinds.nothing, [next, this.#build(node, first)]);
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

  #add(kind: Kind, next: number[], test = 0): number {
    if (this.#states.length >= schemaLimits.patternStates) {
      throw new PatternError("The pattern is too long, or repeats too much. Simplify it, or use maxLength.");
    }
    return this.#states.push({ kind, test, next }) - 1;
  }
}
