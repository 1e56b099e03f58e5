/** A part of a pattern. */
export type PatternNode =
  /** One character that matches this source, such as `a`, `\d`, `.` or `[a-z]`. */
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number };

/** The pattern is not valid, or uses something that cannot be matched in linear time. The message says what to do. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** Parses a regular expression of ECMA-262 with the flag `u`, without lookarounds, back references and word boundaries. */
export function parsePattern(pattern: string): PatternNode {
  try {
    new RegExp(pattern, "u");
  } catch {
    throw new PatternError("This is not a valid regular expression of ECMA-262 with the flag u.");
  }
  return new PatternParser(pattern).parse();
}

/** Whether every match begins at the start of the text. */
export function isAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case "start":
      return true;
    case "sequence":
      return node.nodes[0] !== undefined && isAnchored(node.nodes[0]);
    case "choice":
      return node.nodes.every(isAnchored);
    case "repeat":
      return node.min > 0 && isAnchored(node.node);
    default:
      return false;
  }
}

/** The number of characters of the longest match. */
export function longestMatch(node: PatternNode): number {
  switch (node.kind) {
    case "character":
      return 1;
    case "sequence":
      return node.nodes.reduce((sum, part) => sum + longestMatch(part), 0);
    case "choice":
      return Math.max(...node.nodes.map(longestMatch));
    case "repeat": {
      const longest = longestMatch(node.node);
      return longest === 0 ? 0 : longest * node.max;
    }
    default:
      return 0;
  }
}

const QUANTIFIER = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y;
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|.)/suy;

/** The regular expression is valid: the parser need not check its syntax. */
class PatternParser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): PatternNode {
    const nodes = [this.#parseSequence()];
    while (this.#take("|")) nodes.push(this.#parseSequence());
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: "choice", nodes };
  }

  #parseSequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (this.#at < this.#pattern.length && !this.#startsWith("|") && !this.#startsWith(")")) {
      nodes.push(this.#parseRepeat());
    }
    return { kind: "sequence", nodes };
  }

  #parseRepeat(): PatternNode {
    const node = this.#parseTerm();
    const found = this.#match(QUANTIFIER);
    if (!found) return node;
    const [text, least, range, most] = found;
    if (least === undefined) {
      return {
        kind: "repeat",
        node,
        min: text.startsWith("+") ? 1 : 0,
        max: text.startsWith("?") ? 1 : Number.POSITIVE_INFINITY,
      };
    }
    const min = Number(least);
    const max = range === undefined ? min : most ? Number(most) : Number.POSITIVE_INFINITY;
    return { kind: "repeat", node, min, max };
  }

  #parseTerm(): PatternNode {
    if (this.#take("^")) return { kind: "start" };
    if (this.#take("$")) return { kind: "end" };
    if (this.#take("(")) return this.#parseGroup();
    if (this.#startsWith("[")) return this.#parseClass();
    if (this.#startsWith("\\")) return this.#parseEscape();
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return { kind: "character", source: character };
  }

  #parseGroup(): PatternNode {
    if (this.#take("?") && !this.#take(":")) {
      if (!/^<[^=!]/.test(this.#pattern.slice(this.#at))) {
        throw new PatternError("Lookaheads, lookbehinds and modifiers are not supported.");
      }
      this.#at = this.#pattern.indexOf(">", this.#at) + 1;
    }
    const node = this.parse();
    this.#take(")");
    return node;
  }

  #parseClass(): PatternNode {
    const start = this.#at++;
    while (!this.#startsWith("]")) this.#at += this.#startsWith("\\") ? 2 : 1;
    this.#at++;
    return { kind: "character", source: this.#pattern.slice(start, this.#at) };
  }

  #parseEscape(): PatternNode {
    const [source = ""] = this.#match(ESCAPE) ?? [];
    if (/^\\[1-9k]/.test(source)) throw new PatternError("Back references are not supported.");
    if (/^\\[bB]/.test(source)) throw new PatternError("Word boundaries (\\b and \\B) are not supported.");
    return { kind: "character", source };
  }

  #startsWith(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern) ?? undefined;
    if (found) this.#at = expression.lastIndex;
    return found;
  }
}
