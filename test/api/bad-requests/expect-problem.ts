import { expect } from "bun:test";
import type { FieldError, ProblemDocument } from "../../../src/contract/problems.ts";
import { userLimits } from "../../../src/contract/user.ts";
import { conforming } from "../../support/conformance.ts";
import { type Piece, type RawResponse, sendRaw } from "../../support/raw-http.ts";
import type { TestService } from "../../support/service.ts";
import type { BadRequest, SentRequest } from "./bad-request.ts";

/** Every header that an answer to a bad request may have: any other was smuggled in by the request. */
const allowedHeaders = new Set(
  [
    ["content-type", "content-length", "date", "cache-control", "x-content-type-options", "x-request-id"],
    ["allow", "accept-post", "accept-patch", "etag", "location", "link", "idempotency-replayed"],
  ].flat(),
);

/** Words that only the inside of the service has. */
const internals =
  /SQLITE|sqlite|Error:|\bat \S+ \(|\.ts\b|node_modules|roster\.db|\/work\/|\/tmp\/|\bstack\b/;

export async function expectProblem(service: TestService, { sent, expected }: BadRequest): Promise<void> {
  const response = await sendChecked(service, sent);
  const problem: ProblemDocument = JSON.parse(response.body);
  const seen: object = {
    status: response.status,
    type: problem.type,
    ...(expected.pointers && { pointers: each(problem.errors, "pointer") }),
    ...(expected.parameters && { parameters: each(problem.errors, "parameter") }),
  };
  const { headers = {}, type, ...rest } = expected;
  expect(seen).toEqual({ ...rest, type: `/problems/${type}` });
  for (const [name, value] of Object.entries(headers)) expect(headerOf(response, name)).toBe(value);
  expect(headerOf(response, "content-type")).toBe("application/problem+json");
  expect(problem.status).toBe(response.status);
  expect(headerOf(response, "x-request-id")).toBe(problem.requestId);
  expect(problem.instance).not.toContain("?");
  // What refuses a body must not be longer than a body may be, however it was made.
  expect(response.body.length).toBeLessThanOrEqual(userLimits.bodyBytes);
}

/** Sends a request whose answer has passed everything that holds for all responses, whatever their status. */
export async function sendChecked(service: TestService, sent: SentRequest): Promise<RawResponse> {
  const { responses } = await sendRaw(service.url, serialize(service.url, sent));
  const [answer] = responses;
  if (!answer || responses.length !== 1) throw new Error(`There were ${responses.length} responses.`);
  expect(answer.status).not.toBe(500);
  expect(answer.body).not.toMatch(internals);
  expect(answer.headers.map(([name]) => name).filter((name) => !allowedHeaders.has(name))).toEqual([]);
  const response = new Response(answer.body || null, {
    status: answer.status,
    headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
  });
  await conforming(sent.method, sent.path, response);
  return answer;
}

function headerOf(answer: RawResponse, name: string): string | undefined {
  const values = answer.headers
    .filter(([uniqueValues]) => uniqueValues === name.toLowerCase())
    .map(([, value]) => value);
  expect(values.length).toBeLessThanOrEqual(1);
  return values[0];
}

function serialize(url: string, { method, path, headers = {}, body }: SentRequest): Piece[] {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${name}: ${one}`),
  );
  if (!given.has("host")) lines.unshift(`Host: ${new URL(url).host}`);
  if (body !== undefined && !given.has("content-length") && !given.has("transfer-encoding")) {
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  }
  return [`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`, body ?? ""];
}

function each(errors: readonly FieldError[] = [], key: "pointer" | "parameter"): string[] {
  return [...new Set(errors.map((error) => error[key] ?? `no ${key}`))];
}
