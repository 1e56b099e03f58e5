import { Refusal } from "../domain/refusal.ts";
import type { Exchange } from "./exchange.ts";
import { HttpRefusal } from "./problem.ts";
import type { UnderWay } from "./under-way.ts";

/** What is read of the bodies of requests. */
export class Bodies {
  constructor(
    readonly limit: number,
    readonly underWay: UnderWay,
  ) {}

  /** The whole body, as it came. Fails with `too-large`. */
  async read({ request }: Exchange): Promise<Uint8Array> {
    const bytes = await this.underWay.waitingFor(readBytes(request, this.limit));
    this.underWay.requireRoom();
    return bytes;
  }

  async readJson(exchange: Exchange): Promise<unknown> {
    return parseJson(await this.read(exchange));
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Fails with `unsupported-media-type` unless the body is of one of the types, in UTF-8 and not compressed. */
export function requireType(
  request: Request,
  types: readonly string[],
  advice: Record<string, string>,
): void {
  const refuse = (detail: string) => new HttpRefusal("unsupported-media-type", detail, advice);
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
}

/** The whole body, unless it is over the limit: then no more of it is read than shows that. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new Refusal("too-large", `The body is over ${limit} bytes.`);
  const declared = request.headers.get("content-length");
  if (declared !== null) {
    if (Number(declared) > limit) throw tooLarge();
    return await received(request.bytes());
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (request.body ?? new Blob().stream()).getReader();
  for (;;) {
    const chunk = await received(reader.read());
    if (chunk.done) return Buffer.concat(chunks);
    size += chunk.value.length;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(chunk.value);
  }
}

/** A body that breaks off is the caller's doing. Nobody is there to read the answer, but the log is spared. */
async function received<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch {
    throw new Refusal("malformed-json", "The body broke off before its end.");
  }
}

export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new Refusal("malformed-json", "The body is empty.");
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new Refusal("malformed-json", "The body is not valid UTF-8.");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    // JSON that is nested so deep that it cannot be parsed is still JSON: the fault is in the record.
    if (error instanceof RangeError) {
      throw new Refusal("invalid-user", "The body is nested too deep.", [
        { pointer: "", detail: "Nest it less." },
      ]);
    }
    throw new Refusal("malformed-json", "The body is not one complete JSON text.");
  }
}
