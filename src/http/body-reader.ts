import { parseJsonText } from "../domain/json-text.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import { HttpProblemError } from "./problem-response.ts";
import type { RequestContext } from "./request-context.ts";

/** What is read of the bodies of requests. */
export class BodyReader {
  constructor(
    readonly limit: number,
    /** How long a body may take, from the head of the request to its last byte. */
    readonly timeoutMs: number,
    readonly concurrency: ConcurrencyLimit,
  ) {}

  /** The whole body, as it came. Fails with `too-large` and `request-timeout`. */
  async read({ request }: RequestContext): Promise<Uint8Array> {
    return await this.concurrency.releaseWhile(readBytes(request, this.limit, this.timeoutMs));
  }

  async readJson(context: RequestContext): Promise<unknown> {
    return parseJson(await this.read(context));
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The body's type. Fails with `unsupported-media-type` unless it is one of these, in UTF-8 and not compressed. */
export function requireContentType(
  request: Request,
  types: readonly string[],
  advice: Record<string, string>,
): string {
  const refuse = (detail: string) => new HttpProblemError("unsupported-media-type", detail, advice);
  const given = request.headers.get("content-type");
  if (given === null) throw refuse(`The request has no Content-Type: send ${types.join(" or ")}.`);
  const [type = "", ...parameters] = given.split(";").map((part) => part.trim().toLowerCase());
  if (!types.includes(type)) throw refuse(`The body is ${type || "of no type"}: send ${types.join(" or ")}.`);
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset))
    throw refuse("The body's charset is not UTF-8.");
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw refuse("The body is compressed: send it as it is.");
  }
  return type;
}

/**
 * The whole body, unless it is over the limit: then no more of it is read than shows that. One that has not come whole
 * in time is given up together with its connection.
 */
async function readBytes(request: Request, limit: number, withinMs: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const timer = setTimeout(() => reject(tooLate(withinMs)), withinMs);
  (declared === null ? readChunks(request, limit) : received(request.bytes())).then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

async function readChunks(request: Request, limit: number): Promise<Uint8Array> {
  // One piece of memory, and not one for each chunk: of chunks of one byte, those took a hundred times the limit.
  const whole = new Bun.ArrayBufferSink();
  let size = 0;
  const reader = (request.body ?? new Blob().stream()).getReader();
  for (;;) {
    const chunk = await received(reader.read());
    if (chunk.done) return new Uint8Array(whole.end());
    size += chunk.value.length;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge(limit);
    }
    whole.write(chunk.value);
  }
}

function tooLarge(limit: number): ProblemError {
  return new ProblemError("too-large", `The body is over ${limit} bytes.`);
}

function tooLate(withinMs: number): ProblemError {
  const detail = `The body had not come whole after ${withinMs / 1000} s. Nothing was done.`;
  return new HttpProblemError("request-timeout", detail, { connection: "close" });
}

/** A body that breaks off is the caller's doing. Nobody is there to read the answer, but the log is spared. */
async function received<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch {
    throw new ProblemError("malformed-json", "The body broke off before its end.");
  }
}

export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new ProblemError("malformed-json", "The body is empty.");
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new ProblemError("malformed-json", "The body is not valid UTF-8.");
  }
  return parseJsonText(text, "body");
}
