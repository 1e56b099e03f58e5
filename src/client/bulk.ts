import type {
  BulkChange,
  BulkOptions,
  BulkSummary,
  ImportedLine,
  ImportOptions,
  ImportSourceOf,
  ImportSummary,
  MembershipImportOptions,
  StreamOptions,
} from "./bulk-types.ts";
import { ApiError } from "./errors.ts";
import { hasFields } from "./has-fields.ts";
import { ImportBody } from "./import-body.ts";
import type { Resource } from "./resource.ts";
import type { BulkFormat, ChangedUser, Problem } from "./service-types.ts";
import { ResponseStream } from "./transport/response-stream.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import { StreamingCall } from "./transport/streaming-call.ts";
import { MAX_TIMER_MS } from "./transport/timer.ts";
import type { Call } from "./transport/transport.ts";

// The second module of the package. At run time it imports only the error classes from the first.

export { changeMembers } from "./change-members.ts";
export { checkSchema } from "./check-schema.ts";

const mediaTypes = { ndjson: "application/x-ndjson", csv: "text/csv" };

/** All items that match the query; no item if the query is undefined. */
export class Export<Item> implements AsyncIterable<Item> {
  readonly #resource: Resource<Item>;
  readonly #query: URLSearchParams | undefined;
  readonly #options: StreamOptions;

  constructor(resource: Resource<Item>, query: URLSearchParams | undefined, options: StreamOptions) {
    this.#resource = resource;
    this.#query = query;
    this.#options = options;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    const call = this.#createCall("ndjson");
    return flatten(call, this.#batches(call));
  }

  async stream(format: BulkFormat = "ndjson"): Promise<ReadableStream<Uint8Array>> {
    if (!this.#query) return new Blob().stream();
    const call = this.#createCall(format);
    const response = await call.reportErrors(() => ResponseStream.open(call, mediaTypes[format]));
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => call.reportErrors(() => pull(call, response, controller)),
        cancel: () => call.stop(),
      },
      // The reader sets the pace.
      { highWaterMark: 0 },
    );
  }

  async *#batches(call: StreamingCall): AsyncGenerator<Item[], void> {
    const query = this.#query;
    if (!query) return;
    const response = await ResponseStream.open(call, mediaTypes.ndjson);
    yield* response.lines(
      (value) => this.#resource.isListed(value, query),
      `a list of ${this.#resource.name}`,
    );
  }

  #createCall(format: BulkFormat): StreamingCall {
    const { transport, name } = this.#resource;
    const call = transport.buildCall(
      "GET",
      [name, "export"],
      {},
      undefined,
      { accept: mediaTypes[format] },
      this.#query,
    );
    return new StreamingCall(transport, call, this.#options);
  }
}

async function pull(
  call: StreamingCall,
  response: ResponseStream,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  const bytes = await response.read().catch((error) => {
    if (!call.isAbandoned) throw error;
  });
  if (call.isAbandoned) return;
  if (bytes) return controller.enqueue(bytes);
  call.stop();
  controller.close();
}

/** Sends each line of the source to the service, and yields the result of each line. */
export class Import implements AsyncIterable<ImportedLine> {
  readonly #transport: ServiceTransport;
  readonly #source: ImportSourceOf<unknown>;
  readonly #options: ImportOptions;
  readonly #format: BulkFormat;
  readonly #call: Call;
  /** Whether the line of each new item has its id. */
  readonly #hasIds: boolean;

  constructor(
    { transport, name }: Resource<unknown>,
    source: ImportSourceOf<unknown>,
    idempotencyKey: string,
    options: ImportOptions & MembershipImportOptions,
  ) {
    this.#transport = transport;
    this.#source = source;
    this.#options = options;
    this.#format = options.format ?? "ndjson";
    // Dry runs create no ids, and memberships have none.
    this.#hasIds = name !== "memberships" && !options.dryRun;
    const query = new URLSearchParams();
    for (const parameter of ["onConflict", "match", "remove", "dryRun"] as const) {
      if (options[parameter] !== undefined) query.set(parameter, String(options[parameter]));
    }
    const headers = {
      accept: mediaTypes.ndjson,
      "content-type": mediaTypes[this.#format],
      "idempotency-key": idempotencyKey,
    };
    this.#call = transport.buildCall("POST", [name, "import"], {}, undefined, headers, query);
  }

  [Symbol.asyncIterator](): AsyncGenerator<ImportedLine, void> {
    const call = new StreamingCall(this.#transport, this.#call, this.#options);
    return flatten(call, this.#batches(call));
  }

  summary(options?: SummaryOptions): Promise<ImportSummary> {
    return summarize(this, options);
  }

  async *#batches(call: StreamingCall): AsyncGenerator<ImportedLine[], void> {
    call.signal.throwIfAborted();
    const source = new ImportBody(this.#source, this.#format, call);
    // Browsers cannot send streams over HTTP/1.1, and some cannot send them at all.
    const body = await source.body(this.#transport.inBrowser);
    const response = await ResponseStream.open(call, mediaTypes.ndjson, body);
    let last: ImportedLine | undefined;
    // Keys without users:read get no ids of users that existed.
    const isResultOfLine = (value: unknown): value is ImportedLine =>
      isImportedLine(value) &&
      (hasProblem(value) || value.id !== undefined || value.status === 200 || !this.#hasIds);
    for await (const results of response.lines(isResultOfLine, "a list of results")) {
      last = results.at(-1) ?? last;
      call.lastLine = last?.line;
      yield results;
    }
    if (!source.hasMoreThan(last?.line ?? 0) && !endsStream(last)) return;
    // The service ended the import early. Its last line says why.
    throw last?.problem
      ? response.ended(last.problem, "import")
      : response.cutOff("the response ended before the source");
  }
}

/** Whether this result says why the service ended the stream, and not what is wrong with its line or user. */
function endsStream(last: { readonly problem?: Problem } | undefined): boolean {
  const type = last?.problem?.type ?? "";
  return ["/problems/quota-exceeded", "/problems/request-timeout", "/problems/unavailable"].includes(type);
}

function isImportedLine(value: unknown): value is ImportedLine {
  return hasFields<ImportedLine>(value, { line: "number", status: "number" }) && isResult(value);
}

function isChangedUser(value: unknown): value is ChangedUser {
  return hasFields<ChangedUser>(value, { id: "number", status: "number" });
}

/** A result has a problem, unless its status is a success. */
function isResult({ status, problem }: { status: number; problem?: unknown }): boolean {
  return status < 300 || hasFields(problem, { type: "string", title: "string" });
}

/** Applies one change to many users, and yields the result of each. */
export class Bulk implements AsyncIterable<ChangedUser> {
  /** Known when the response has begun. */
  requestId: string | undefined;
  readonly #transport: ServiceTransport;
  readonly #options: BulkOptions;
  /** The number of results, if it is known before. */
  readonly #expected: number;
  readonly #call: Call;

  constructor(transport: ServiceTransport, change: BulkChange, idempotencyKey: string, options: BulkOptions) {
    this.#transport = transport;
    this.#options = options;
    const { ids, filter } = change;
    this.#expected = ids?.length ?? 0;
    const target = ids ? { ids: ids.map(Number) } : { filter: String(filter) };
    const headers = { accept: mediaTypes.ndjson, "idempotency-key": idempotencyKey };
    this.#call = transport.buildCall("POST", ["users", "bulk"], {}, { ...change, ...target }, headers);
  }

  [Symbol.asyncIterator](): AsyncGenerator<ChangedUser, void> {
    const call = new StreamingCall(this.#transport, this.#call, this.#options);
    return flatten(call, this.#batches(call));
  }

  async summary(options?: SummaryOptions): Promise<BulkSummary> {
    const { created, existing, ...failures } = await summarize(this, options);
    return { changed: created + existing, ...failures };
  }

  /** The number of users that the change would apply to. */
  count(): Promise<number> {
    const { signal, timeout } = this.#options;
    const url = new URL("?dryRun=true", this.#call.url);
    const call = { ...this.#call, url, signal, timeout, tryTimeout: MAX_TIMER_MS };
    return this.#transport.reportErrors(async () => {
      const response = await this.#transport.send(call);
      if (hasFields<{ count: number }>(response.body, { count: "number" })) return response.body.count;
      throw new ApiError(
        response.attempt,
        response,
        "the response is not a count. Is this a Roster service?",
      );
    });
  }

  async *#batches(call: StreamingCall): AsyncGenerator<ChangedUser[], void> {
    call.signal.throwIfAborted();
    const response = await ResponseStream.open(call, mediaTypes.ndjson);
    this.requestId = response.requestId;
    let left = this.#expected;
    let last: ChangedUser | undefined;
    for await (const results of response.lines(isChangedUser, "a list of results")) {
      left -= results.length;
      last = results.at(-1) ?? last;
      yield results;
    }
    if (last?.problem && endsStream(last)) throw response.ended(last.problem, "change");
    if (left > 0) throw response.cutOff("results are missing");
  }
}

function hasProblem<Result extends { problem?: Problem }>(
  result: Result,
): result is Result & { problem: Problem } {
  return !!result.problem;
}

interface SummaryOptions {
  readonly max?: number;
}

/** Counts results, and keeps the first failures. */
async function summarize<Result extends { status: number; problem?: Problem }>(
  results: AsyncIterable<Result>,
  { max = 100 }: SummaryOptions = {},
) {
  let [created, existing, failed] = [0, 0, 0];
  const failures: (Result & { problem: Problem })[] = [];
  for await (const result of results) {
    if (hasProblem(result)) {
      if (++failed <= max) failures.push(result);
    } else result.status === 200 ? existing++ : created++;
  }
  return { created, existing, failed, failures };
}

/** Yields the items of all batches. Stops the call at the end, and reports an error to `onError`. */
async function* flatten<Item>(
  call: StreamingCall,
  batches: AsyncGenerator<Item[], void>,
): AsyncGenerator<Item, void> {
  try {
    for await (const items of batches) yield* items;
  } catch (error) {
    return call.reportErrors(() => Promise.reject(error));
  } finally {
    call.stop();
  }
}
