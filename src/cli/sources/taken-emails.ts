import type { ImportedLine } from "../../client/index.ts";
import type { MappedRecord } from "./mapping.ts";
import { keyOfPart } from "./part-key.ts";

/** Results that wait for the lines that are sent again. */
const MAX_HELD = 500;

interface SecondImport {
  /** The key of the first import. */
  readonly idempotencyKey: string;
  /** The user of a line without its email. Undefined if nothing else keeps the email. */
  withoutEmail(line: number): MappedRecord | undefined;
  /** Imports these lines. */
  start(lines: readonly string[], idempotencyKey: string): AsyncIterable<ImportedLine>;
}

/**
 * The results of an import, in order. A user whose email another user has is imported without it, in a second import of some lines
 * at a time. The same results give the same second imports, with the same keys: a repeated import imports nothing twice.
 */
export async function* withoutTakenEmails(
  results: AsyncIterable<ImportedLine>,
  second: SecondImport,
): AsyncGenerator<ImportedLine, void> {
  let held: ImportedLine[] = [];
  for await (const result of results) {
    const isFirst = isEmailTaken(result) && second.withoutEmail(result.line) !== undefined;
    if (held.length === 0 && !isFirst) yield result;
    else held.push(result);
    if (held.length < MAX_HELD) continue;
    yield* await sendAgain(held, second);
    held = [];
  }
  yield* await sendAgain(held, second);
}

function isEmailTaken({ problem }: ImportedLine): boolean {
  return problem?.type === "/problems/email-taken";
}

/** The results, with those of the second import. */
async function sendAgain(
  held: readonly ImportedLine[],
  { idempotencyKey, withoutEmail, start }: SecondImport,
): Promise<readonly ImportedLine[]> {
  const again = held.flatMap((result) => {
    const record = isEmailTaken(result) ? withoutEmail(result.line) : undefined;
    // In an update, an absent email would be the one that the user has.
    return record ? [{ line: result.line, json: `${JSON.stringify({ ...record, email: null })}\n` }] : [];
  });
  if (again.length === 0) return held;
  const lines = again.map(({ json }) => json);
  const found = new Map<number, ImportedLine>();
  for await (const result of start(lines, keyOfPart("emails", idempotencyKey, lines))) {
    const { line = 0 } = again[result.line - 1] ?? {};
    found.set(line, { ...result, line });
  }
  return held.map((result) => found.get(result.line) ?? result);
}
