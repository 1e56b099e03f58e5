import { type BulkFormat, bulkLimits } from "../contract/bulk/bulk.ts";
import type { BulkResult, ImportLineResult } from "../contract/bulk/bulk-schemas.ts";
import { mediaTypes } from "../contract/operation.ts";
import type { RowReader } from "../domain/bulk/row-reader.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import type { Row } from "../domain/import-row.ts";
import type { Meter } from "../domain/meter.ts";
import type { ProblemData } from "../domain/problem-error.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import { type BodyReader, readChunks } from "./body-reader.ts";
import { decompress, readContentCoding } from "./compression/request-body.ts";
import { problemDocument } from "./problem-response.ts";
import type { RequestContext } from "./request-context.ts";
import type { Stream } from "./streams/stream.ts";
import type { Streams } from "./streams/streams.ts";

/** A caller may send the whole body before it reads the response: the outcomes of a million lines must fit. */
const MAX_UNREAD_OUTCOME_BYTES = 64 * 1_048_576;

/** What the handlers of every import and export need. */
export interface ImportExportRouteParts {
  readonly streams: Streams;
  readonly bodyReader: BodyReader;
  readonly feed: Pick<EventFeed, "lastId">;
  readonly limits: CallerLimits;
}

/** How an import runs, and what its response says. */
export interface ImportRun<Outcome> {
  readonly readRows: RowReader;
  readonly run: (
    rows: AsyncIterable<readonly Row[]>,
    meter: Meter | undefined,
  ) => AsyncGenerator<Outcome[], void>;
  /** The result of a line as JSON, such as an `ImportLineResult`. */
  readonly format: (outcome: Outcome) => string;
}

/** Reads the rows of the body, without its content coding, and streams the result of each. */
export function respondToImport<Outcome>(
  context: RequestContext,
  { streams, bodyReader }: ImportExportRouteParts,
  { readRows, run, format }: ImportRun<Outcome>,
): Promise<Response> {
  const { stream, meter } = streams.open(context, bulkLimits.chunkLines);
  const rows = readRows(readBody(context.request, stream), bodyReader.maxBytes);
  return respondWithResults(context, streams, stream, run(rows, meter), format);
}

/** Streams the result of each line or record. */
export function respondWithResults<Outcome>(
  context: RequestContext,
  streams: Streams,
  stream: Stream,
  outcomes: AsyncGenerator<Outcome[], void>,
  format: (outcome: Outcome) => string,
): Promise<Response> {
  return streams.respond(context, stream, mediaTypes.ndjson, encodeOutcomes(outcomes, format), {
    maxUnreadBytes: MAX_UNREAD_OUTCOME_BYTES,
  });
}

/** Streams an export, which browsers save as a file of this name, in the format that the caller wants. */
export function respondWithExport(
  context: RequestContext,
  { streams, feed }: ImportExportRouteParts,
  name: string,
  list: (
    format: BulkFormat,
    signal: AbortSignal,
    meter: Meter | undefined,
  ) => AsyncGenerator<Uint8Array, void>,
): Promise<Response> {
  const { responseType = mediaTypes.ndjson } = context;
  const format = formatOf(responseType);
  const headers = {
    "content-disposition": `attachment; filename="${name}.${format}"`,
    // An event that is not newer than a list that begins now.
    "roster-event": feed.lastId,
  };
  return streams.respondWithList(context, responseType, headers, (signal, meter) =>
    list(format, signal, meter),
  );
}

/** The format that a media type stands for. */
export function formatOf(type: string): BulkFormat {
  return type === mediaTypes.csv ? "csv" : "ndjson";
}

/** The problem of a line, or of a record of a bulk change. */
export function formatResultProblem<Subject extends { line: number } | { id: number }>(
  { route, requestId }: RequestContext,
  subject: Subject,
  data: ProblemData,
): string {
  const problem = problemDocument(data, route, requestId);
  return JSON.stringify({ ...subject, status: problem.status, problem } satisfies
    | ImportLineResult
    | BulkResult);
}

/** The body without its content coding. */
function readBody(request: Request, stream: Stream): AsyncGenerator<Uint8Array, void> {
  const coding = readContentCoding(request);
  const received = readChunks(request, stream);
  return coding === undefined ? received : decompress(coding, received);
}

/** A space in front of a line is valid JSON. It keeps the connection open while the import waits. */
const KEEP_ALIVE = new TextEncoder().encode(" ");

async function* encodeOutcomes<Outcome>(
  outcomes: AsyncGenerator<Outcome[], void>,
  format: (outcome: Outcome) => string,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const chunk of outcomes) {
    if (chunk.length === 0) {
      yield KEEP_ALIVE;
      continue;
    }
    let text = "";
    for (const outcome of chunk) {
      // A line with many errors takes as long as a hundred others.
      if (loopShare.isSpent) await loopShare.nextTurn();
      text += `${format(outcome)}\n`;
    }
    yield encoder.encode(text);
  }
}
