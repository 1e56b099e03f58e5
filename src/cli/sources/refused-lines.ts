import type { ImportedLine } from "../../client/index.ts";
import type { Mapped } from "./mapping.ts";

/** A line that the service refuses, whatever the options of the import are. */
const REFUSED = "null";

/** The line of an import. */
export function toLine({ record, refusal }: Mapped): string {
  return refusal === undefined ? JSON.stringify(record) : REFUSED;
}

/** The results, with the reasons of the lines that can be no user or group. */
export async function* withRefusals(
  results: AsyncIterable<ImportedLine>,
  refusalOf: (line: number) => string | undefined,
): AsyncGenerator<ImportedLine, void> {
  for await (const result of results) {
    const refusal = result.problem && refusalOf(result.line);
    if (result.problem && refusal !== undefined) {
      const { errors: _errors, ...problem } = result.problem;
      yield { ...result, problem: { ...problem, detail: refusal } };
    } else yield result;
  }
}
