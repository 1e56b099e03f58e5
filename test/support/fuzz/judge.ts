import { brotliDecompressSync, inflateSync } from "node:zlib";
import { version } from "../../../src/config/version.ts";
import { isObject } from "../../../src/contract/json.ts";
import { describeApi } from "../../../src/contract/openapi.ts";
import { mediaTypes } from "../../../src/contract/operation.ts";
import { problems } from "../../../src/contract/problems.ts";
import { messageUrns } from "../../../src/contract/scim/scim.ts";
import { conforming } from "../conformance.ts";
import { type Area, areaOf } from "./area.ts";
import type { Exchange } from "./exchange.ts";
import type { FuzzCase } from "./fuzz-case.ts";
import { judgeAccess } from "./judge-access.ts";
import { judgeToken } from "./judge-token.ts";
import type { JudgedResponse } from "./judged-response.ts";
import { type FuzzResponse, headerValue } from "./parse-response.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import type { FuzzRequest } from "./requests.ts";
import { judgeScim } from "./scim/judge-scim.ts";

/** Statuses with which Bun rejects invalid HTTP by itself: without a body, and without the headers of the service. */
const rejectedByBun = new Set([400, 413, 417, 431, 505]);
/** Bun rejects bytes that are no request at once, in the middle of a streamed response to the request before them. */
const cutByBun = /has a chunk of size "HTTP\/1\.1 (?:400|413|417|431|505) /;
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
    "pragma",
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
  const findings = exchange.errors.filter((error) => requests !== undefined || !cutByBun.test(error));
  const finals = exchange.responses.filter(({ status }) => status >= 200);
  for (const [index, response] of finals.entries())
    findings.push(...judgeResponse(response, requests === undefined, requests?.[index]));
  if (requests === undefined || findings.length > 0) return findings;
  const { closes, count } = expectedResponses(finals, requests.length);
  if (finals.length < count && !exchange.isStreaming && !mayLoseResponses(fuzzCase)) {
    const end = exchange.closedByService ? "the service closed the connection" : "the connection is open";
    findings.push(`${finals.length} of ${count} responses and ${exchange.rest} more bytes, then ${end}`);
  }
  if (finals.length > count && !closes) findings.push(`${finals.length} responses to ${count} requests`);
  for (const [index, response] of finals.entries()) {
    const request = requests[index];
    if (!request?.operation || isBare(response)) continue;
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

function judgeResponse(response: FuzzResponse, isChanged: boolean, request?: FuzzRequest): string[] {
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
    return isChanged ? [] : fail("Bun rejected a well-formed request");
  }
  if (headerValue(response, "x-request-id") === undefined) return fail("no X-Request-Id");
  // A client that sends more than one complete request can lose the end of such a body.
  if (response.endsWithConnection && isChanged) return [];
  let text: string;
  try {
    text = decode(response);
  } catch (error) {
    return fail(`the body cannot be decoded (${String(error)})`);
  }
  if (internals.test(text)) return fail("the body reveals internals");
  if (text.includes(PLANTED_SECRET)) return fail("the body has a password of a request");
  const judged: JudgedResponse = {
    status,
    text,
    type: headerValue(response, "content-type")?.split(";")[0] ?? "",
    header: (name) => headerValue(response, name),
  };
  const found = judgeBody(judged, request);
  if (request && found.length === 0) found.push(...judgeAccess(judged, request));
  return found.flatMap(fail);
}

/** Errors have the format of the area that the path belongs to. */
function judgeBody(response: JudgedResponse, request: FuzzRequest | undefined): string[] {
  const area = request ? areaOf(request.path) : guessArea(response);
  try {
    if (area === "scim") return judgeScim(response, request);
    // Browsers get a page at unknown addresses.
    if (response.status === 404 && response.type === mediaTypes.html) return [];
    return area === "oauth" ? judgeToken(response) : judgeApi(response);
  } catch (error) {
    return [`the body is not ${response.type} (${String(error)})`];
  }
}

/** The area of a path that is not known, because its bytes were changed. */
function guessArea({ status, type, text, header }: JudgedResponse): Area {
  if (type === mediaTypes.scim) return "scim";
  if (header("pragma") !== undefined) return "oauth";
  // Some callers accept only plain JSON.
  const isScim = text === "" || text.includes(messageUrns.error);
  return status >= 400 && type === mediaTypes.json && isScim ? "scim" : "other";
}

function judgeApi(response: JudgedResponse): string[] {
  const { status, type, text } = response;
  // HEAD, 204 and 304.
  if (text === "") return status >= 400 && type !== mediaTypes.problem ? ["not a problem document"] : [];
  if (status >= 400) {
    if (type !== mediaTypes.problem) return [`not a problem document, but ${type}`];
    return judgeProblem(JSON.parse(text), response);
  }
  if (type === mediaTypes.json) JSON.parse(text);
  if (type === mediaTypes.ndjson) {
    for (const line of text.split("\n").slice(0, -1)) {
      const result: unknown = JSON.parse(line);
      if (isObject(result) && result.status === 500) return [`a line of an import failed: ${line}`];
    }
  }
  return [];
}

function judgeProblem(document: unknown, response: JudgedResponse): string[] {
  if (!isObject(document)) return ["the problem is not an object"];
  const { type, status, requestId } = document;
  const known = Object.entries(problems).find(([name]) => type === `/problems/${name}`)?.[1];
  if (!known) return [`unknown problem type ${type}`];
  if (status !== response.status || known.status !== response.status)
    return [`a problem with status ${status}`];
  return requestId === response.header("x-request-id") ? [] : ["a problem of another request"];
}

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
