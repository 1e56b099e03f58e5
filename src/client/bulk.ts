import { hasFields } from "./has-fields.ts";
import { ImportBody } from "./import-body.ts";
import type { Resource } from "./resource.ts";
import type { ResponseStream } from "./response-stream.ts";
import type { ServiceTransport } from "./service-transport.ts";
import { StreamingCall } from "./streaming-call.ts";
import type { Call } from "./transport.ts";
import type {
  BulkFormat,
  ExportOptions,
  FailedLine,
  ImportedLine,
  ImportOptions,
  ImportSource,
  ImportSummary,
  User,
} from "./types.ts";

// A module of its own in the package: of the other one it imports what everybody can, and types.

const mediaTypes = { ndjson: "application/x-ndjson", csv: "text/csv" };

/** Everybody whom the query finds; nobody if there is none. */
export class Export<Own> implements AsyncIterable<User<Own>> {
  readonly #users: Resource<User<Own>>;
  readonly #query: URLSearchParams | undefined;
  readonly #options: ExportOptions;

  constructor(users: Resource<User<Own>>, query: URLSearchParams | undefined, options: ExportOptions) {
    this.#users = users;
    this.#query = query;
    this.#options = options;
  }

  [Symbol.asyncIterator](): AsyncGenerator<User<Own>, void> {
    const stream = this.#begin("ndjson");
    return flatten(stream, this.#parts(stream));
  }

  async stream(format: BulkFormat = "ndjson"): Promise<ReadableStream<Uint8Array>> {
    if (!this.#query) return new Blob().stream();
    const stream = this.#begin(format);
    const incoming = await stream.reportErrors(() => stream.open(mediaTypes[format]));
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => stream.reportErrors(() => pass(stream, incoming, controller)),
        cancel: () => stream.stop(),
      },
      // Whoever reads it decides how fast.
      { highWaterMark: 0 },
    );
  }

  async *#parts(stream: StreamingCall): AsyncGenerator<User<Own>[], void> {
    if (!this.#query) return;
    const incoming = await stream.open(mediaTypes.ndjson);
    yield* incoming.lines((value) => hasFields<User<Own>>(value, this.#users.fieldTypes), "a list of users");
  }

  #begin(format: BulkFormat): StreamingCall {
    const { transport: session } = this.#users;
    const call = session.request(
      "GET",
      ["users"],
      {},
      undefined,
      { accept: mediaTypes[format] },
      this.#query,
    );
    return new StreamingCall(session, call, this.#options);
  }
}

async function pass(
  stream: StreamingCall,
  incoming: ResponseStream,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  const bytes = await incoming.read().catch((error) => {
    if (!stream.isAbandoned) throw error;
  });
  if (stream.isAbandoned) return;
  if (bytes) return controller.enqueue(bytes);
  stream.stop();
  controller.close();
}

/** A user of each line of the source, and what became of each. */
export class Import implements AsyncIterable<ImportedLine> {
  readonly #session: ServiceTransport;
  readonly #source: ImportSource<unknown>;
  readonly #options: ImportOptions;
  readonly #format: BulkFormat;
  readonly #call: Call;

  constructor(session: ServiceTransport, source: ImportSource<unknown>, key: string, options: ImportOptions) {
    this.#session = session;
    this.#source = source;
    this.#options = options;
    this.#format = options.format ?? "ndjson";
    this.#call = session.request("POST", ["users"], {}, undefined, {
      accept: mediaTypes.ndjson,
      "content-type": mediaTypes[this.#format],
      "idempotency-key": key,
    });
  }

  [Symbol.asyncIterator](): AsyncGenerator<ImportedLine, void> {
    const stream = new StreamingCall(this.#session, this.#call, this.#options);
    return flatten(stream, this.#parts(stream));
  }

  async summary({ max = 100 }: { max?: number } = {}): Promise<ImportSummary> {
    let created = 0;
    let refused = 0;
    const refusals: FailedLine[] = [];
    for await (const outcome of this) {
      if (outcome.id !== undefined) created++;
      else if (++refused <= max) refusals.push(outcome);
    }
    return { created, failed: refused, failures: refusals };
  }

  async *#parts(stream: StreamingCall): AsyncGenerator<ImportedLine[], void> {
    stream.signal.throwIfAborted();
    const source = new ImportBody(this.#source, this.#format, stream);
    // Browsers send no streams over HTTP/1.1, and some none at all.
    const incoming = await stream.open(mediaTypes.ndjson, await source.body(this.#session.inBrowser));
    let last: ImportedLine | undefined;
    for await (const outcomes of incoming.lines(isOutcome, "a list of outcomes")) {
      last = outcomes.at(-1) ?? last;
      stream.lastLine = last?.line;
      yield outcomes;
    }
    if (!source.hasMoreThan(last?.line ?? 0)) return;
    // The service gave up: what it said last is why.
    throw last?.problem
      ? incoming.refused(last.problem)
      : incoming.brokenOff("it ended before the source did");
  }
}

function isOutcome(value: unknown): value is ImportedLine {
  return (
    hasFields<ImportedLine>(value, { line: "number", status: "number" }) &&
    (hasFields(value.problem, { type: "string", title: "string" }) || hasFields(value, { id: "number" }))
  );
}

/** One after the other. However it ends, so does the call; if it fails, `onError` is told. */
async function* flatten<Item>(
  stream: StreamingCall,
  parts: AsyncGenerator<Item[], void>,
): AsyncGenerator<Item, void> {
  try {
    for await (const items of parts) yield* items;
  } catch (error) {
    return stream.reportErrors(() => Promise.reject(error));
  } finally {
    stream.stop();
  }
}
