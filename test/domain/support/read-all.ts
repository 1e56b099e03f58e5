import fc from "fast-check";
import type { Row } from "../../../src/domain/import-row.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";

/** Reads rows from a body that arrives in pieces. */
export type Rows = (body: AsyncIterable<Uint8Array>, most: number) => AsyncIterable<readonly Row[]>;

/** All rows, and the problem that ended them, if any. */
export interface Read {
  readonly rows: Row[];
  readonly problem?: ProblemError["data"];
}

/** Reads the bytes, split at these positions. */
export async function readAll(
  make: Rows,
  bytes: Uint8Array | string,
  most = 65_536,
  cuts: readonly number[] = [],
): Promise<Read> {
  const whole = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  const rows: Row[] = [];
  try {
    for await (const some of make(pieces(whole, cuts), most)) rows.push(...some);
  } catch (error) {
    if (error instanceof ProblemError) return { rows, problem: error.data };
    throw error;
  }
  return { rows };
}

/** The parsed JSON or the problem type of each row, by line. */
export function summarize({ rows, problem }: Read): Record<string, unknown> {
  const lines = rows.map((row) => [row.line, "json" in row ? JSON.parse(row.json) : row.problem.type]);
  return { ...Object.fromEntries(lines), ...(problem && { whole: problem.type }) };
}

/** Bytes from parts that matter to a format, some of them not UTF-8, and positions to split them at. */
export function cutBytes(parts: readonly string[]): fc.Arbitrary<{ bytes: Uint8Array; cuts: number[] }> {
  const part = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...parts).map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 4 }).map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.constantFrom([0xff], [0xc3], [0xe2, 0x82], [0x80]).map(Buffer.from) },
  );
  return fc
    .array(part, { maxLength: 40 })
    .map((all) => Buffer.concat(all))
    .chain((bytes) =>
      fc.record({
        bytes: fc.constant(bytes),
        cuts: fc.oneof(
          fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }),
          fc.constant(Array.from(bytes, (_, index) => index)),
        ),
      }),
    );
}

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array, void> {
  let start = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    yield bytes.slice(start, cut);
    start = Math.max(start, cut);
  }
  yield bytes.slice(start);
}
