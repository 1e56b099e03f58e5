import type { ImportedLine } from "../../contract/bulk.ts";
import { mediaTypes } from "../../contract/operation.ts";
import { type ProblemDocument, problems } from "../../contract/problems.ts";
import { readCsvRows } from "../../domain/csv/read.ts";
import { exportCsv, exportNdjson } from "../../domain/exports.ts";
import type { RowOutcome } from "../../domain/imports.ts";
import type { ListQuery } from "../../domain/listing.ts";
import { type ProblemData, ProblemError } from "../../domain/problem-error.ts";
import type { Users } from "../../domain/users.ts";
import type { RequestContext } from "../request-context.ts";
import { streamResponse } from "../responses.ts";
import { parseNdjson } from "./ndjson-rows.ts";
import { ResponseStreams } from "./response-streams.ts";

/** Callers may send everything before they read anything: what became of a million lines has to fit. */
const UNREAD_OUTCOMES = 64 * 1_048_576;

interface BulkHooks {
  /** Turns the idle timeout of the request's connection on or off. */
  setIdleTimeout(request: Request, enabled: boolean): void;
  /** Is told what breaks off an answer that has begun. */
  onStreamError(context: RequestContext, error: unknown): void;
}

/** The collection in its other forms: many users at once, in and out. */
export class Bulk {
  readonly #users: Users;
  readonly #lineBytes: number;
  readonly #hooks: BulkHooks;
  readonly #streams = new ResponseStreams();

  constructor(users: Users, lineBytes: number, hooks: BulkHooks) {
    this.#users = users;
    this.#lineBytes = lineBytes;
    this.#hooks = hooks;
  }

  /** Every user that the query finds. */
  async export(context: RequestContext, query: ListQuery, type: string): Promise<Response> {
    const { request } = context;
    const csv = type === mediaTypes.csv;
    const headers = { "content-disposition": `attachment; filename="users.${csv ? "csv" : "ndjson"}"` };
    // How long it is nobody knows without making it: this is how GET says so.
    if (request.method === "HEAD")
      return streamResponse(context, type, null, { ...headers, "transfer-encoding": "chunked" });
    const make = csv ? exportCsv : exportNdjson;
    const parts = make(this.#users.store, query, request.signal);
    // Which columns a table has may take a minute to find out.
    this.#hooks.setIdleTimeout(request, false);
    try {
      return streamResponse(context, type, await this.#open(context, parts), headers);
    } finally {
      this.#hooks.setIdleTimeout(request, true);
    }
  }

  /** A user of each line, and a line in answer to each. */
  async import(context: RequestContext, type: string, key: string | undefined): Promise<Response> {
    const { request, caller } = context;
    const body = received(request.body ?? new Blob().stream());
    const rows =
      type === mediaTypes.csv ? readCsvRows(body, this.#lineBytes) : parseNdjson(body, this.#lineBytes);
    const parts = encoded(context, this.#users.import(caller, key, rows));
    return streamResponse(context, mediaTypes.ndjson, await this.#open(context, parts, UNREAD_OUTCOMES));
  }

  #open(context: RequestContext, parts: AsyncGenerator<Uint8Array, void>, unreadBytes?: number) {
    return this.#streams.open(parts, (error) => this.#hooks.onStreamError(context, error), unreadBytes);
  }
}

/** A body that breaks off is the caller's doing. Nobody is there to read the answer, but the log is spared. */
async function* received(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch {
    throw new ProblemError("malformed-json", "The body broke off before its end.");
  }
}

async function* encoded(
  context: RequestContext,
  outcomes: AsyncGenerator<RowOutcome[], void>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const some of outcomes) {
    let text = "";
    for (const outcome of some) text += `${toLine(context, outcome)}\n`;
    yield encoder.encode(text);
  }
}

/** An `ImportedLine`. Those that say no more than an id are written by hand: there are millions of them. */
function toLine(context: RequestContext, outcome: RowOutcome): string {
  const { line } = outcome;
  if ("id" in outcome) return `{"line":${line},"status":201,"id":${outcome.id}}`;
  const problem = toProblem(context, outcome.problem);
  return JSON.stringify({ line, status: problem.status, problem } satisfies ImportedLine);
}

function toProblem(
  { requestId, route }: RequestContext,
  { type, detail, errors }: ProblemData,
): ProblemDocument {
  const { status, title } = problems[type];
  return {
    type: `/problems/${type}`,
    title,
    status,
    detail,
    instance: route,
    requestId,
    ...(errors && { errors: [...errors] }),
  };
}
