import { type BulkFormat, bulkLimits } from "../../contract/bulk/bulk.ts";
import type { BulkResult, ImportLineResult } from "../../contract/bulk/bulk-schemas.ts";
import { mediaTypes } from "../../contract/operation.ts";
import { operations } from "../../contract/operations.ts";
import { type BulkRequest, checkBulk } from "../../domain/bulk/check-bulk.ts";
import type { RowOutcome } from "../../domain/bulk/imports.ts";
import { loopShare } from "../../domain/bulk/loop-share.ts";
import { parseBulk } from "../../domain/bulk/parse-bulk.ts";
import type { ListQuery } from "../../domain/lists/listing.ts";
import type { Meter } from "../../domain/meter.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import { costOfFilter } from "../../domain/request-cost.ts";
import type { ChangedUser } from "../../domain/store.ts";
import type { Users } from "../../domain/users.ts";
import { mayReadUsers, requireForMember } from "../access/require-scope.ts";
import { type BodyReader, incompleteBody } from "../body-reader.ts";
import { chooseStreamCoding, compressStream } from "../compression/compress-stream.ts";
import { decompress, readContentCoding } from "../compression/request-body.ts";
import { problemDocument } from "../problem-response.ts";
import { invalidQuery } from "../query/query-string.ts";
import { originOf, type RequestContext } from "../request-context.ts";
import { jsonResponse, streamResponse } from "../responses.ts";
import { type ImportQuery, invalidMatch } from "./bulk-query.ts";
import type { BulkStream } from "./bulk-stream.ts";
import type { BulkStreams } from "./bulk-streams.ts";
import { openResponseStream } from "./response-stream.ts";

/** A caller may send the whole body before it reads the response: the outcomes of a million lines must fit. */
const MAX_UNREAD_OUTCOME_BYTES = 64 * 1_048_576;

interface BulkHooks {
  /** Whose share of the streams the request takes: a key or an address. */
  findOwner(context: RequestContext): string;
  /** Takes what a request costs from the caller's rate limit. Throws `rate-limited`. */
  charge(context: RequestContext, cost: number): void;
  /** Counts rows towards the caller's limits. Undefined if the caller has none. */
  createMeter(context: RequestContext, rowsPerRequest: number, signal: AbortSignal): Meter | undefined;
  /** Closes the request's connection, with a response that the caller does not read. */
  closeConnection(request: Request): void;
  /** The id of an event that is not newer than a list that begins now. */
  lastEventId(): string;
  /** Receives the error that cuts off a response. */
  onStreamError(context: RequestContext, error: unknown): void;
}

/** Imports and exports of users, as NDJSON or CSV. */
export class Bulk {
  readonly #users: Users;
  readonly #bodyReader: BodyReader;
  readonly #hooks: BulkHooks;
  readonly #streams: BulkStreams;

  constructor(users: Users, bodyReader: BodyReader, streams: BulkStreams, hooks: BulkHooks) {
    this.#users = users;
    this.#bodyReader = bodyReader;
    this.#streams = streams;
    this.#hooks = hooks;
  }

  /** Streams every user that matches the query. */
  export(context: RequestContext, query: ListQuery, type: string): Promise<Response> {
    this.#hooks.charge(context, costOfFilter(query.expression));
    const format = formatOf(type);
    const headers = {
      "content-disposition": `attachment; filename="users.${format}"`,
      "roster-event": this.#hooks.lastEventId(),
    };
    return this.respondWithList(context, type, headers, (signal, meter) =>
      this.#users.export(format, query, signal, meter),
    );
  }

  /** Streams a list of any length, compressed if the caller accepts that. */
  async respondWithList(
    context: RequestContext,
    type: string,
    moreHeaders: Record<string, string>,
    list: (signal: AbortSignal, meter: Meter | undefined) => AsyncGenerator<Uint8Array, void>,
  ): Promise<Response> {
    const { request } = context;
    const coding = chooseStreamCoding(request);
    const headers = {
      ...moreHeaders,
      vary: "Accept, Accept-Encoding",
      ...(coding && { "content-encoding": coding }),
    };
    // The length is unknown: like GET, HEAD announces a chunked body.
    if (request.method === "HEAD")
      return streamResponse(context, type, null, { ...headers, "transfer-encoding": "chunked" });
    const stream = this.#streams.open(this.#hooks.findOwner(context));
    request.signal.addEventListener("abort", () => stream.end());
    const meter = this.#hooks.createMeter(context, bulkLimits.pageUsers, stream.signal);
    const items = list(stream.signal, meter);
    const parts = coding ? compressStream(items, coding) : items;
    return streamResponse(context, type, await this.#respond(context, stream, parts), headers);
  }

  /** Creates or updates a user for each line of the body, and streams an `ImportLineResult` for each. */
  async import(
    context: RequestContext,
    type: string,
    { dryRun, ...options }: ImportQuery,
    idempotencyKey: string | undefined,
  ): Promise<Response> {
    const by = originOf(context);
    const readRows = await this.#users.createRowReader(formatOf(type), options, this.#bodyReader.maxBytes);
    if (!readRows) throw invalidQuery([invalidMatch()]);
    const stream = this.#streams.open(this.#hooks.findOwner(context));
    const meter = this.#hooks.createMeter(context, bulkLimits.chunkLines, stream.signal);
    const rows = readRows(readBody(context.request, stream));
    const outcomes = dryRun
      ? this.#users.checkImport(by, rows, options, meter)
      : this.#users.import(by, idempotencyKey, rows, options, meter);
    const parts = encodeOutcomes(outcomes, (outcome) => formatOutcome(context, outcome));
    const body = await this.#respond(context, stream, parts, MAX_UNREAD_OUTCOME_BYTES);
    return streamResponse(context, mediaTypes.ndjson, body);
  }

  /** Applies one change to many users, and streams a `BulkResult` for each. */
  async change(context: RequestContext, idempotencyKey: string | undefined): Promise<Response> {
    const stream = this.#openChange(context);
    const meter = this.#hooks.createMeter(context, bulkLimits.chunkLines, stream.signal);
    const request = await this.#readChange(context, stream);
    const doneStatus = request.change === "remove" ? 204 : 200;
    const format = ({ id, problem }: ChangedUser) =>
      problem ? formatProblem(context, { id }, problem) : `{"id":${id},"status":${doneStatus}}`;
    const outcomes = this.#users.changeMany(originOf(context), idempotencyKey, request, meter, stream.signal);
    const parts = encodeOutcomes(outcomes, format);
    const body = await this.#respond(context, stream, parts, MAX_UNREAD_OUTCOME_BYTES);
    return streamResponse(context, mediaTypes.ndjson, body);
  }

  /** Responds with the number of users that a change would apply to. */
  async countChange(context: RequestContext): Promise<Response> {
    const stream = this.#openChange(context);
    try {
      const meter = this.#hooks.createMeter(context, bulkLimits.chunkLines, stream.signal);
      const request = await this.#readChange(context, stream);
      const count = await this.#users.countMany(request, stream.signal, meter);
      return jsonResponse(context, 200, JSON.stringify({ count }));
    } finally {
      stream.end();
    }
  }

  /** Ends with the connection, also before the first part of the response. */
  #openChange(context: RequestContext): BulkStream {
    const stream = this.#streams.open(this.#hooks.findOwner(context));
    context.request.signal.addEventListener("abort", () => stream.end());
    return stream;
  }

  async #readChange(context: RequestContext, stream: BulkStream): Promise<BulkRequest> {
    try {
      const text = await this.#bodyReader.readText(context, bulkLimits.bodyBytes);
      const request = await checkBulk(await parseBulk(text, this.#bodyReader.maxBytes));
      if ("expression" in request) {
        requireForMember(context, operations.bulkUsers, "filter");
        this.#hooks.charge(context, costOfFilter(request.expression));
      }
      return request;
    } catch (error) {
      stream.end();
      throw error;
    }
  }

  #respond(
    context: RequestContext,
    stream: BulkStream,
    parts: AsyncGenerator<Uint8Array, void>,
    maxUnreadBytes?: number,
  ): Promise<ReadableStream<Uint8Array>> {
    const hooks = {
      onError: (error: unknown) => this.#hooks.onStreamError(context, error),
      onAbort: () => this.#hooks.closeConnection(context.request),
    };
    return openResponseStream(stream, parts, hooks, maxUnreadBytes);
  }
}

function formatOf(type: string): BulkFormat {
  return type === mediaTypes.csv ? "csv" : "ndjson";
}

/** The body without its content coding. */
function readBody(request: Request, stream: BulkStream): AsyncGenerator<Uint8Array, void> {
  const coding = readContentCoding(request);
  const received = receiveBody(request, stream);
  return coding === undefined ? received : decompress(coding, received);
}

/** A lost connection is not an error of the service: a problem keeps it out of the error log. */
async function* receiveBody(request: Request, stream: BulkStream): AsyncGenerator<Uint8Array, void> {
  const reader = (request.body ?? new Blob().stream()).getReader();
  try {
    for (;;) {
      const { done, value } = await stream.receive(reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw error instanceof ProblemError ? error : incompleteBody();
  } finally {
    reader.cancel().catch(() => undefined);
  }
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
