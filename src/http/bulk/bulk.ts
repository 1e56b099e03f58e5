import { type BulkFormat, bulkLimits } from "../../contract/bulk/bulk.ts";
import type { BulkResult, ImportLineResult } from "../../contract/bulk/bulk-schemas.ts";
import { mediaTypes } from "../../contract/operation.ts";
import { operations } from "../../contract/operations.ts";
import { checkBulk } from "../../domain/bulk/check-bulk.ts";
import type { RowOutcome } from "../../domain/bulk/imports.ts";
import { loopShare } from "../../domain/bulk/loop-share.ts";
import { parseBulk } from "../../domain/bulk/parse-bulk.ts";
import type { EventFeed } from "../../domain/events/event-feed.ts";
import type { ListQuery } from "../../domain/lists/listing.ts";
import type { ProblemData } from "../../domain/problem-error.ts";
import { costOfFilter } from "../../domain/request-cost.ts";
import type { Users } from "../../domain/users.ts";
import type { CallerLimits } from "../access/caller-limits.ts";
import { mayReadUsers, requireForMember } from "../access/require-scope.ts";
import { type BodyReader, readChunks } from "../body-reader.ts";
import { decompress, readContentCoding } from "../compression/request-body.ts";
import { problemDocument } from "../problem-response.ts";
import { invalidQuery } from "../query/query-string.ts";
import { originOf, type RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import type { Stream } from "../streams/stream.ts";
import type { Streams } from "../streams/streams.ts";
import { type ImportQuery, invalidMatch } from "./bulk-query.ts";

/** A caller may send the whole body before it reads the response: the outcomes of a million lines must fit. */
const MAX_UNREAD_OUTCOME_BYTES = 64 * 1_048_576;

interface BulkParts {
  readonly users: Users;
  readonly streams: Streams;
  readonly bodyReader: BodyReader;
  readonly feed: Pick<EventFeed, "lastId">;
  readonly limits: CallerLimits;
}

/** Imports, exports and bulk changes of users. */
export class Bulk {
  readonly #parts: BulkParts;

  constructor(parts: BulkParts) {
    this.#parts = parts;
  }

  /** Streams every user that matches the query. */
  export(context: RequestContext, query: ListQuery, type: string): Promise<Response> {
    const { users, streams, feed, limits } = this.#parts;
    limits.charge(context, costOfFilter(query.expression));
    const format = formatOf(type);
    const headers = {
      "content-disposition": `attachment; filename="users.${format}"`,
      // An event that is not newer than a list that begins now.
      "roster-event": feed.lastId,
    };
    return streams.respondWithList(context, type, headers, (signal, meter) =>
      users.export(format, query, signal, meter),
    );
  }

  /** Creates or updates a user for each line of the body, and streams an `ImportLineResult` for each. */
  async import(
    context: RequestContext,
    type: string,
    { dryRun, ...options }: ImportQuery,
    idempotencyKey: string | undefined,
  ): Promise<Response> {
    const { users, streams, bodyReader } = this.#parts;
    const by = originOf(context);
    const readRows = await users.createRowReader(formatOf(type), options, bodyReader.maxBytes);
    if (!readRows) throw invalidQuery([invalidMatch()]);
    const { stream, meter } = streams.open(context, bulkLimits.chunkLines);
    const rows = readRows(readBody(context.request, stream));
    const outcomes = dryRun
      ? users.checkImport(by, rows, options, meter)
      : users.import(by, idempotencyKey, rows, options, meter);
    return this.#respond(context, stream, outcomes, (outcome) => formatOutcome(context, outcome));
  }

  /** Applies one change to many users, and streams a `BulkResult` for each. */
  async change(context: RequestContext, idempotencyKey: string | undefined): Promise<Response> {
    const { stream, meter, request } = await this.#openChange(context);
    const doneStatus = request.change === "remove" ? 204 : 200;
    const by = originOf(context);
    const outcomes = this.#parts.users.changeMany(by, idempotencyKey, request, meter, stream.signal);
    return this.#respond(context, stream, outcomes, ({ id, problem }) =>
      problem ? formatProblem(context, { id }, problem) : `{"id":${id},"status":${doneStatus}}`,
    );
  }

  /** Responds with the number of users that a change would apply to. */
  async countChange(context: RequestContext): Promise<Response> {
    const { stream, meter, request } = await this.#openChange(context);
    try {
      const count = await this.#parts.users.countMany(request, stream.signal, meter);
      return jsonResponse(context, 200, JSON.stringify({ count }));
    } finally {
      stream.end();
    }
  }

  /** Takes a place, and reads the body. */
  async #openChange(context: RequestContext) {
    const { streams, bodyReader, limits } = this.#parts;
    const { stream, meter } = streams.openWhileConnected(context, bulkLimits.chunkLines);
    try {
      const text = await bodyReader.readText(context, bulkLimits.bodyBytes);
      const request = await checkBulk(await parseBulk(text, bodyReader.maxBytes));
      if ("expression" in request) {
        requireForMember(context, operations.bulkUsers, "filter");
        limits.charge(context, costOfFilter(request.expression));
      }
      return { stream, meter, request };
    } catch (error) {
      stream.end();
      throw error;
    }
  }

  #respond<Outcome>(
    context: RequestContext,
    stream: Stream,
    outcomes: AsyncGenerator<Outcome[], void>,
    format: (outcome: Outcome) => string,
  ): Promise<Response> {
    return this.#parts.streams.respond(context, stream, mediaTypes.ndjson, encodeOutcomes(outcomes, format), {
      maxUnreadBytes: MAX_UNREAD_OUTCOME_BYTES,
    });
  }
}

function formatOf(type: string): BulkFormat {
  return type === mediaTypes.csv ? "csv" : "ndjson";
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

/**
 * Formats an `ImportLineResult`. Callers that must not read users get no ids of users that existed: an import that skips users would
 * find the id of any email. A template is faster than JSON.stringify for created users, the most frequent outcome. */
function formatOutcome(context: RequestContext, outcome: RowOutcome): string {
  const { line } = outcome;
  if ("created" in outcome) {
    const { created } = outcome;
    const id = created || mayReadUsers(context.caller) ? outcome.id : undefined;
    return `{"line":${line},"status":${created ? 201 : 200}${id === undefined ? "" : `,"id":${id}`}}`;
  }
  return formatProblem(context, { line }, outcome.problem);
}

function formatProblem<Subject extends { line: number } | { id: number }>(
  { route, requestId }: RequestContext,
  subject: Subject,
  data: ProblemData,
): string {
  const problem = problemDocument(data, route, requestId);
  return JSON.stringify({ ...subject, status: problem.status, problem } satisfies
    | ImportLineResult
    | BulkResult);
}
