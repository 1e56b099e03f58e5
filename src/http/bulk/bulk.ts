import type { ImportLineResult } from "../../contract/bulk-schemas.ts";
import { mediaTypes } from "../../contract/operation.ts";
import { readCsvRows } from "../../domain/csv/read.ts";
import { exportCsv, exportNdjson } from "../../domain/exports.ts";
import type { RowOutcome } from "../../domain/imports.ts";
import type { ListQuery } from "../../domain/listing.ts";
import type { Users } from "../../domain/users.ts";
import { incompleteBody } from "../body-reader.ts";
import { problemDocument } from "../problem-response.ts";
import type { RequestContext } from "../request-context.ts";
import { streamResponse } from "../responses.ts";
import { readNdjsonRows } from "./ndjson-rows.ts";
import { ResponseStreams } from "./response-streams.ts";

/** A caller may send the whole body before it reads the response: the outcomes of a million lines must fit. */
const MAX_UNREAD_OUTCOME_BYTES = 64 * 1_048_576;

interface BulkHooks {
  /** Turns the idle timeout of the request's connection on or off. */
  setIdleTimeout(request: Request, enabled: boolean): void;
  /** Receives the error that cuts off a response. */
  onStreamError(context: RequestContext, error: unknown): void;
}

/** Imports and exports of users, as NDJSON or CSV. */
export class Bulk {
  readonly #users: Users;
  readonly #maxLineBytes: number;
  readonly #hooks: BulkHooks;
  readonly #streams = new ResponseStreams();

  constructor(users: Users, maxLineBytes: number, hooks: BulkHooks) {
    this.#users = users;
    this.#maxLineBytes = maxLineBytes;
    this.#hooks = hooks;
  }

  /** Streams every user that matches the query. */
  async export(context: RequestContext, query: ListQuery, type: string): Promise<Response> {
    const { request } = context;
    const isCsv = type === mediaTypes.csv;
    const headers = { "content-disposition": `attachment; filename="users.${isCsv ? "csv" : "ndjson"}"` };
    // The length is unknown: like GET, HEAD announces a chunked body.
    if (request.method === "HEAD")
      return streamResponse(context, type, null, { ...headers, "transfer-encoding": "chunked" });
    const exportUsers = isCsv ? exportCsv : exportNdjson;
    const parts = exportUsers(this.#users.store, query, request.signal);
    // Before the first row, CSV reads all users to find their columns. That may take a minute.
    this.#hooks.setIdleTimeout(request, false);
    try {
      return streamResponse(context, type, await this.#open(context, parts), headers);
    } finally {
      this.#hooks.setIdleTimeout(request, true);
    }
  }

  /** Creates a user for each line of the body, and streams an `ImportLineResult` for each. */
  async import(context: RequestContext, type: string, idempotencyKey: string | undefined): Promise<Response> {
    const { request, caller } = context;
    const body = readBody(request);
    const readRows = type === mediaTypes.csv ? readCsvRows : readNdjsonRows;
    const outcomes = this.#users.import(caller, idempotencyKey, readRows(body, this.#maxLineBytes));
    const stream = await this.#open(context, encodeOutcomes(context, outcomes), MAX_UNREAD_OUTCOME_BYTES);
    return streamResponse(context, mediaTypes.ndjson, stream);
  }

  #open(context: RequestContext, parts: AsyncGenerator<Uint8Array, void>, maxUnreadBytes?: number) {
    return this.#streams.open(parts, (error) => this.#hooks.onStreamError(context, error), maxUnreadBytes);
  }
}

/** A lost connection is not an error of the service: a problem keeps it out of the error log. */
async function* readBody(request: Request): AsyncGenerator<Uint8Array, void> {
  try {
    yield* request.body ?? new Blob().stream();
  } catch {
    throw incompleteBody();
  }
}

async function* encodeOutcomes(
  context: RequestContext,
  outcomes: AsyncGenerator<RowOutcome[], void>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const chunk of outcomes) {
    let text = "";
    for (const outcome of chunk) text += `${formatOutcome(context, outcome)}\n`;
    yield encoder.encode(text);
  }
}

/** Formats an `ImportLineResult`. A template is faster than JSON.stringify for created users, the most frequent outcome. */
function formatOutcome(context: RequestContext, outcome: RowOutcome): string {
  const { line } = outcome;
  if ("id" in outcome) return `{"line":${line},"status":201,"id":${outcome.id}}`;
  const problem = problemDocument(outcome.problem, context.route, context.requestId);
  return JSON.stringify({ line, status: problem.status, problem } satisfies ImportLineResult);
}
