import { Fragment } from "react";

export type Language = "shell" | "typescript";

interface Token {
  /** Position in the code. */
  readonly start: number;
  readonly text: string;
  readonly kind: "comment" | "string" | "keyword" | undefined;
}

const patterns: Record<Language, RegExp> = {
  // The first word of a command is its keyword.
  shell: /(?<comment>(?<!\S)#.*)|(?<string>"[^"]*"|'[^']*')|(?<keyword>^\w+|(?<=&& )\w+)/gm,
  typescript:
    /(?<comment>(?<!\S)\/\/.*)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<keyword>\b(?:import|from|const|await|for|of)\b)/g,
};

/** Splits code into comments, strings, keywords and other text. */
export function tokenize(code: string, language: Language): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: text, index, groups } of code.matchAll(patterns[language])) {
    if (index > end) tokens.push({ start: end, text: code.slice(end, index), kind: undefined });
    const kind = (["comment", "string", "keyword"] as const).find((name) => groups?.[name] !== undefined);
    tokens.push({ start: index, text, kind });
    end = index + text.length;
  }
  if (end < code.length) tokens.push({ start: end, text: code.slice(end), kind: undefined });
  return tokens;
}

/** Code with coloured comments, strings and keywords. */
export function Highlighted({ code, language }: { readonly code: string; readonly language: Language }) {
  return tokenize(code, language).map(({ start, text, kind }) =>
    kind === undefined ? (
      <Fragment key={start}>{text}</Fragment>
    ) : (
      <span key={start} className={`code-${kind}`}>
        {text}
      </span>
    ),
  );
}
