import { expect } from "bun:test";
import type { FieldError, ProblemDocument } from "../../../src/contract/problems.ts";
import { userLimits } from "../../../src/contract/users/user.ts";
import { conforming } from "../../support/conformance.ts";
import { type Piece, type RawResponse, sendRaw } from "../../support/raw-http.ts";
import type { TestService } from "../../support/service.ts";
import type { BadRequest, SentRequest } from "./bad-request.ts";

/** The headers that a response may have. Any other was injected by the request. */
const allowedHeaders = new Set(
  [
    ["content-type", "content-length", "date", "cache-control", "x-content-type-options", "x-request-id"],
    [
      "cross-origin-resource-policy",
      "allow",
      "accept-post",
      "accept-patch",
      "accept-encoding",
      "etag",
      "location",
      "roster-event",
      "link",
      "idempotency-replayed",
      "vary",
      "connection",
    ],
  ].flat(),
);

/** Words that reveal internals of the service. */
const internals =
  /SQLITE|sqlite|Error:|\bat \S+ \(|\.ts\b|node_modules|roster\.db|\/work\/|\/tmp\/|\bstack\b/;

export async function expectProblem(
  service: Pick<TestService, "url">,
  { sent, expected }: BadRequest,
): Promise<void> {
  const response = await sendChecked(service, sent);
  const problem: ProblemDocument = JSON.parse(response.body);
  const actual: object = {
    status: response.status,
    type: problem.type,
    ...(expected.pointers && { pointers: each(problem.errors, "pointer") }),
    ...(expected.parameters && { parameters: each(problem.errors, "parameter") }),
  };
  const { headers = {}, type, ...rest } = expected;
  expect(actual).toEqual({ ...rest, type: `/problems/${type}` });
  for (const [name, value] of Object.entries(headers)) expect(readHeader(response, name)).toBe(value);
  expect(readHeader(response, "content-type")).toBe("application/problem+json");
  expect(problem.status).toBe(response.status);
  expect(readHeader(response, "x-request-id")).toBe(problem.requestId);
  expect(problem.instance).not.toContain("?");
  // A small bad request must not cause a long response.
  expect(response.body.length).toBeLessThanOrEqual(userLimits.bodyBytes);
}

/** Sends a request, and checks everything that holds for all responses. */
export async function sendChecked(
  service: Pick<TestService, "url">,
  sent: SentRequest,
): Promise<RawResponse> {
  const { responses } = await sendRaw(service.url, serialize(service.url, sent));
  const [raw] = responses;
  if (!raw || responses.length !== 1) throw new Error(`There were ${responses.length} responses.`);
  expect(raw.status).not.toBe(500);
  expect(raw.body).not.toMatch(internals);
  expect(raw.headers.map(([name]) => name).filter((name) => !allowedHeaders.has(name))).toEqual([]);
  const response = new Response(raw.body || null, {
    status: raw.status,
    headers: raw.headers.map(([name, value]): [string, string] => [name, value]),
  });
  await conforming(sent.method, sent.path, response);
  return raw;
}

function readHeader(raw: RawResponse, name: string): string | undefined {
  const values = raw.headers
    .filter(([uniqueValues]) => uniqueValues === name.toLowerCase())
    .map(([, value]) => value);
  expect(values.length).toBeLessThanOrEqual(1);
  return values[0];
}

function serialize(url: string, { method, path, headers = {}, body }: SentRequest): Piece[] {
  const headerNames = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((single) => `${name}: ${single}`),
  );
  if (!headerNames.has("host")) lines.unshift(`Host: ${new URL(url).host}`);
  if (body !== undefined && !headerNames.has("content-length") && !headerNames.has("transfer-encoding")) {
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  }
  return [`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`, body ?? ""];
}

function each(errors: readonly FieldError[] = [], key: "pointer" | "parameter"): string[] {
  return [...new Set(errors.map((error) => error[key] ?? `no ${key}`))];
}
