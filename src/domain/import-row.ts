import type { ProblemData } from "./problem-error.ts";

/** One line of an import: JSON text, or the problem with the line. */
export type ImportLine = { readonly json: string } | { readonly problem: ProblemData };

/** One row of an import, with its line number. */
export type Row = { readonly line: number } & ImportLine;
