import { fits } from "./fits.ts";
import type { Incoming } from "./incoming.ts";
import type { Records } from "./records.ts";
import type { Session } from "./session.ts";
import { Source } from "./source.ts";
import { Stream } from "./stream.ts";
import type { Call } from "./transport.ts";
import type {
  BulkFormat,
  ExportOptions,
  ImportedLine,
  ImportOptions,
  ImportSource,
  ImportSummary,
  RefusedLine,
  User,
} from "./types.ts";

// A module of its own in the package: of the other one it imports what everybody can, and types.

const types = { ndjson: "application/x-ndjson", csv: "text/csv" };

/** Everybody whom the query finds; nobody if there is none. */
export class Export<Own> implements AsyncIterable<User<Own>> {
  readonly #users: Records<User<Own>>;
  readonly #query: URLSearchParams | undefined;
  readonly #options: ExportOptions;

  constructor(users: Records<User<Own>>, query: URLSearchParams | undefined, options: ExportOptions) {
    this.#users = users;
    this.#query = query;
    this.#options = options;
  }

  [Symbol.asyncIterator](): AsyncGenerator<User<Own>, void> {
    const stream = this.#begin("ndjson");
    return each(stream, this.#parts(stream));
  }

  async stream(format: BulkFormat = "ndjson"): Promise<ReadableStream<Uint8Array>> {
    if (!this.#query) return new Blob().stream();
    const stream = this.#begin(format);
    const incoming = await stream.telling(() => stream.open(types[format]));
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => stream.telling(() => pass(stream, incoming, controller)),
        cancel: () => stream.stop(),
      },
      // Whoever reads it decides how fast.
      { highWaterMark: 0 },
    );
  }

  async *#parts(stream: Stream): AsyncGenerator<User<Own>[], void> {
    if (!this.#query) return;
    const incoming = await stream.open(types.ndjson);
    yield* incoming.lines((value) => fits<User<Own>>(value, this.#users.marks), "a list of users");
  }

  #begin(format: BulkFormat): Stream {
    const { session } = this.#users;
    const call = session.request("GET", ["users"], {}, undefined, { accept: types[format] }, this.#query);
    return new Stream(session, call, this.#options);
  }
}

async function pass(
  stream: Stream,
  incoming: Incoming,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  const bytes = await incoming.read().catch((error) => {
    if (!stream.isLeft) throw error;
  });
  if (stream.isLeft) return;
  if (bytes) return controller.enqueue(bytes);
  stream.stop();
  controller.close();
}

/** A user of each line of the source, and what became of each. */
export class Import implements AsyncIterable<ImportedLine> {
  readonly #session: Session;
  readonly #source: ImportSource<unknown>;
  readonly #options: ImportOptions;
  readonly #format: BulkFormat;
  readonly #call: Call;

  constructor(session: Session, source: ImportSource<unknown>, key: string, options: ImportOptions) {
    this.#session = session;
    this.#source = source;
    this.#options = options;
    this.#format = options.format ?? "ndjson";
    this.#call = session.request("POST", ["users"], {}, undefined, {
      accept: types.ndjson,
      "content-type": types[this.#format],
      "idempotency-key": key,
    });
  }

  [Symbol.asyncIterator](): AsyncGenerator<ImportedLine, void> {
    const stream = new Stream(this.#session, this.#call, this.#options);
    return each(stream, this.#parts(stream));
  }

  async summary({ most = 100 }: { most?: number } = {}): Promise<ImportSummary> {
    let created = 0;
    let refused = 0;
    const refusals: RefusedLine[] = [];
    for await (const outcome of this) {
      if (outcome.id !== undefined) created++;
      else if (++refused <= most) refusals.push(outcome);
    }
    return { created, refused, refusals };
  }

  async *#parts(stream: Stream): AsyncGenerator<ImportedLine[], void> {
    stream.signal.throwIfAborted();
    const source = new Source(this.#source, this.#format, stream);
    // Browsers send no streams over HTTP/1.1, and some none at all.
    const incoming = await stream.open(types.ndjson, await source.body(this.#session.inBrowser));
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
    fits<ImportedLine>(value, { line: "number", status: "number" }) &&
    (fits(value.problem, { type: "string", title: "string" }) || fits(value, { id: "number" }))
  );
}

/** One after the other. However it ends, so does the call; if it fails, `onError` is told. */
async function* each<Item>(stream: Stream, parts: AsyncGenerator<Item[], void>): AsyncGenerator<Item, void> {
  try {
    for await (const items of parts) yield* items;
  } catch (error) {
    return stream.telling(() => Promise.reject(error));
  } finally {
    stream.stop();
  }
}
