import type { ImportedLine } from "../../contract/bulk.ts";
import { mediaTypes } from "../../contract/operation.ts";
import { type ProblemDocument, problems } from "../../contract/problems.ts";
import { exportLines, exportTable } from "../../domain/exports.ts";
import type { RowOutcome } from "../../domain/imports.ts";
import type { ListQuery } from "../../domain/listing.ts";
import { Refusal, type RefusalData } from "../../domain/refusal.ts";
import type { Users } from "../../domain/users.ts";
import { type Exchange, streamAnswer } from "../exchange.ts";
import { csvRows } from "./csv-rows.ts";
import { ndjsonRows } from "./ndjson-rows.ts";
import { Streams } from "./streams.ts";

/** Callers may send everything before they read anything: what became of a million lines has to fit. */
const UNREAD_OUTCOMES = 64 * 1_048_576;

interface Surroundings {
  /** Whether the connection may be silent for as long as it takes. */
  mayBeSilent(request: Request, silent: boolean): void;
  /** Is told what breaks off an answer that has begun. */
  broken(exchange: Exchange, error: unknown): void;
}

/** The collection in its other forms: many users at once, in and out. */
export class Bulk {
  readonly #users: Users;
  readonly #lineBytes: number;
  readonly #surroundings: Surroundings;
  readonly #streams = new Streams();

  constructor(users: Users, lineBytes: number, surroundings: Surroundings) {
    this.#users = users;
    this.#lineBytes = lineBytes;
    this.#surroundings = surroundings;
  }

  /** Every user that the query finds. */
  async export(exchange: Exchange, query: ListQuery, type: string): Promise<Response> {
    const { request } = exchange;
    const csv = type === mediaTypes.csv;
    const headers = { "content-disposition": `attachment; filename="users.${csv ? "csv" : "ndjson"}"` };
    // How long it is nobody knows without making it: this is how GET says so.
    if (request.method === "HEAD")
      return streamAnswer(exchange, type, null, { ...headers, "transfer-encoding": "chunked" });
    const make = csv ? exportTable : exportLines;
    const parts = make(this.#users.store, query, request.signal);
    // Which columns a table has may take a minute to find out.
    this.#surroundings.mayBeSilent(request, true);
    try {
      return streamAnswer(exchange, type, await this.#open(exchange, parts), headers);
    } finally {
      this.#surroundings.mayBeSilent(request, false);
    }
  }

  /** A user of each line, and a line in answer to each. */
  async import(exchange: Exchange, type: string, key: string | undefined): Promise<Response> {
    const { request, caller } = exchange;
    const body = received(request.body ?? new Blob().stream());
    const rows = type === mediaTypes.csv ? csvRows(body, this.#lineBytes) : ndjsonRows(body, this.#lineBytes);
    const parts = encoded(exchange, this.#users.import(caller, key, rows));
    return streamAnswer(exchange, mediaTypes.ndjson, await this.#open(exchange, parts, UNREAD_OUTCOMES));
  }

  #open(exchange: Exchange, parts: AsyncGenerator<Uint8Array, void>, unreadBytes?: number) {
    return this.#streams.open(parts, (error) => this.#surroundings.broken(exchange, error), unreadBytes);
  }
}

/** A body that breaks off is the caller's doing. Nobody is there to read the answer, but the log is spared. */
async function* received(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch {
    throw new Refusal("malformed-json", "The body broke off before its end.");
  }
}

async function* encoded(
  exchange: Exchange,
  outcomes: AsyncGenerator<RowOutcome[], void>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const some of outcomes) {
    let text = "";
    for (const outcome of some) text += `${toLine(exchange, outcome)}\n`;
    yield encoder.encode(text);
  }
}

/** An `ImportedLine`. Those that say no more than an id are written by hand: there are millions of them. */
function toLine(exchange: Exchange, outcome: RowOutcome): string {
  const { line } = outcome;
  if ("id" in outcome) return `{"line":${line},"status":201,"id":${outcome.id}}`;
  const problem = toProblem(exchange, outcome.refusal);
  return JSON.stringify({ line, status: problem.status, problem } satisfies ImportedLine);
}

function toProblem({ requestId, route }: Exchange, { type, detail, errors }: RefusalData): ProblemDocument {
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
