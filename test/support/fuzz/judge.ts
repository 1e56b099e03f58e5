import { brotliDecompressSync, inflateSync } from "node:zlib";
import { version } from "../../../src/config/version.ts";
import { describeApi } from "../../../src/contract/openapi.ts";
import { problems } from "../../../src/contract/problems.ts";
import { conforming } from "../conformance.ts";
import type { Exchange } from "./exchange.ts";
import type { FuzzCase } from "./fuzz-case.ts";
import { type FuzzResponse, headerValue } from "./parse-response.ts";

/** Statuses with which Bun rejects invalid HTTP by itself: without a body, and without the headers of the service. */
const rejectedByBun = new Set([400, 413, 417, 431, 505]);
/** Words that reveal internals of the service. */
const internals = /SQLITE_|PostgresError|TypeError|\bat \S+ \(|node_modules|roster\.db/;
/** Headers of HTTP itself, of CORS and of pages. The OpenAPI description names the others. */
const knownHeaders = new Set([
  ...[
    "connection",
    "content-length",
    "content-type",
    "content-encoding",
    "content-disposition",
    "date",
    "transfer-encoding",
    "vary",
  ],
  ...["allow", "accept-post", "accept-patch", "accept-encoding", "set-cookie", "etag", "link", "location"],
  ...["access-control-allow-headers", "access-control-allow-methods", "access-control-allow-origin"],
  ...["access-control-expose-headers", "access-control-max-age", "content-security-policy"],
  ...["cross-origin-opener-policy", "permissions-policy", "referrer-policy", "x-frame-options"],
  ...describedHeaders(),
]);

function describedHeaders(): string[] {
  const names = JSON.stringify(describeApi(version)).matchAll(
    /"([A-Z][\w-]+)":\{[^{}]*"(?:required|schema|\$ref)"/g,
  );
  return [...names].map(([, name = ""]) => name.toLowerCase());
}

/** Finds everything that is wrong with the responses to a case. */
export async function judge(fuzzCase: FuzzCase, exchange: Exchange): Promise<string[]> {
  const { requests } = fuzzCase;
  const findings = [...exchange.errors];
  const finals = exchange.responses.filter(({ status }) => status >= 200);
  for (const response of finals) findings.push(...judgeResponse(response, fuzzCase));
  if (requests === undefined || findings.length > 0) return findings;
  const { closes, count } = expectedResponses(finals, requests.length);
  if (finals.length < count && !exchange.isStreaming && !mayLoseResponses(fuzzCase)) {
    const end = exchange.closedByService ? "the service closed the connection" : "the connection is open";
    findings.push(`${finals.length} of ${count} responses and ${exchange.rest} more bytes, then ${end}`);
  }
  if (finals.length > count && !closes) findings.push(`${finals.length} responses to ${count} requests`);
  for (const [index, response] of finals.entries()) {
    const request = requests[index];
    if (!request?.isDescribed || isBare(response)) continue;
    try {
      await conforming(request.method, request.path, toResponse(response));
    } catch (error) {
      findings.push(`the response does not conform to the description: ${String(error)}`);
    }
  }
  return findings;
}

/** A response with `Connection: close` is the last one. */
function expectedResponses(
  finals: readonly FuzzResponse[],
  requests: number,
): { closes: boolean; count: number } {
  const closing = finals.findIndex((response) => headerValue(response, "connection") === "close");
  return { closes: closing >= 0, count: closing < 0 ? requests : closing + 1 };
}

/**
 * The service closes a connection without a Host after its response. If the client still sends then, the operating system may discard
 * the response.
 */
function mayLoseResponses({ parts }: FuzzCase): boolean {
  return parts.length > 1 && parts.some(({ bytes }) => /^host: *\r$/im.test(bytes));
}

const isBare = (response: FuzzResponse) =>
  rejectedByBun.has(response.status) && headerValue(response, "x-request-id") === undefined;

function judgeResponse(response: FuzzResponse, { requests }: FuzzCase): string[] {
  const { status, headers, body } = response;
  const fail = (what: string) => [`${status}: ${what}: ${body.toString("utf8", 0, 500)}`];
  if (status === 500) return fail("internal error");
  const names = headers.map(([name]) => name);
  const unknown = names.filter((name) => !knownHeaders.has(name));
  if (unknown.length > 0) return fail(`unknown headers ${unknown}`);
  const repeated = names.filter((name, at) => name !== "set-cookie" && names.indexOf(name) !== at);
  if (repeated.length > 0) return fail(`repeated headers ${repeated}`);
  if (isBare(response)) {
    if (body.length > 0) return fail("a body without headers of the service");
    return requests === undefined ? [] : fail("Bun rejected a well-formed request");
  }
  if (headerValue(response, "x-request-id") === undefined) return fail("no X-Request-Id");
  // A client that sends more than one complete request can lose the end of such a body.
  if (response.endsWithConnection && requests === undefined) return [];
  let text: string;
  try {
    text = decode(response);
  } catch (error) {
    return fail(`the body cannot be decoded (${String(error)})`);
  }
  if (internals.test(text)) return fail("the body reveals internals");
  return judgeBody(response, text).flatMap(fail);
}

function judgeBody(response: FuzzResponse, text: string): string[] {
  const { status } = response;
  const type = headerValue(response, "content-type")?.split(";")[0] ?? "";
  // HEAD, 204 and 304.
  if (text === "")
    return status >= 400 && type !== "application/problem+json" ? ["not a problem document"] : [];
  try {
    if (status >= 400) {
      // Browsers get a page at unknown addresses.
      if (status === 404 && type === "text/html") return [];
      if (type !== "application/problem+json") return [`not a problem document, but ${type}`];
      return judgeProblem(JSON.parse(text), response);
    }
    if (type === "application/json") JSON.parse(text);
    if (type === "application/x-ndjson") {
      for (const line of text.split("\n").slice(0, -1)) {
        const result: unknown = JSON.parse(line);
        if (isObject(result) && result.status === 500) return [`a line of an import failed: ${line}`];
      }
    }
  } catch (error) {
    return [`the body is not ${type} (${String(error)})`];
  }
  return [];
}

function judgeProblem(document: unknown, response: FuzzResponse): string[] {
  if (!isObject(document)) return ["the problem is not an object"];
  const { type, status, requestId } = document;
  const known = Object.entries(problems).find(([name]) => type === `/problems/${name}`)?.[1];
  if (!known) return [`unknown problem type ${type}`];
  if (status !== response.status || known.status !== response.status)
    return [`a problem with status ${status}`];
  return requestId === headerValue(response, "x-request-id") ? [] : ["a problem of another request"];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body as text, without its Content-Encoding. */
function decode(response: FuzzResponse): string {
  const body = new Uint8Array(response.body);
  const coding = headerValue(response, "content-encoding");
  const decoders: Record<string, () => Uint8Array> = {
    gzip: () => Bun.gunzipSync(body),
    br: () => brotliDecompressSync(body),
    zstd: () => Bun.zstdDecompressSync(body),
    deflate: () => inflateSync(body),
  };
  const bytes = coding === undefined || body.length === 0 ? body : decoders[coding]?.();
  if (!bytes) throw new Error(`unknown Content-Encoding ${coding}`);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function toResponse(response: FuzzResponse): Response {
  const { status } = response;
  const headers = response.headers.filter(([name]) => name !== "content-encoding");
  const text = decode(response);
  return new Response(text === "" ? null : text, {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
}
