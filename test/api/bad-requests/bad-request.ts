import type { ProblemType } from "../../../src/contract/problems.ts";
import type { Piece } from "../../support/raw-http.ts";

/** A raw request. Host and Content-Length are added unless `headers` has them. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  /** An array is sent as several header lines. Undefined omits a header that would be added. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: Piece;
}

export interface ExpectedProblem {
  readonly status: number;
  readonly type: ProblemType;
  /** The distinct pointers of the errors, in order. */
  readonly pointers?: readonly string[];
  /** The distinct parameters of the errors, in order. */
  readonly parameters?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface BadRequest {
  /** The request, as the subject of the test name. */
  readonly name: string;
  readonly sent: SentRequest;
  readonly expected: ExpectedProblem;
}

/** A body that POST, PUT and PATCH reject. */
export interface BadBody {
  readonly name: string;
  readonly body: Piece;
  readonly expected: ExpectedProblem;
}

/** A user that exists before the bad requests, and must be unchanged after them. */
export const fixture = { name: "Ada Lovelace", email: "ada@example.com", department: "engines" };
export const fixturePath = "/api/users/1";
/** Another user, created with an Idempotency-Key: its email and its key are in use. */
export const otherUser = { name: "Taken", email: "taken@example.com" };
export const usedKey = "a-key-that-was-used";

export const json = { "Content-Type": "application/json" };
export const validBody = '{"name":"Grace Hopper"}';

export const malformed: ExpectedProblem = { status: 400, type: "malformed-json" };
export const tooLarge: ExpectedProblem = { status: 413, type: "too-large" };
export const notFound: ExpectedProblem = { status: 404, type: "not-found" };
export const userNotFound: ExpectedProblem = { status: 404, type: "user-not-found" };
export const notAcceptable: ExpectedProblem = { status: 406, type: "not-acceptable" };
export const versionMismatch: ExpectedProblem = { status: 412, type: "version-mismatch" };
export const wrongHost: ExpectedProblem = { status: 421, type: "wrong-host" };
export const invalidHeader: ExpectedProblem = { status: 400, type: "invalid-header" };

export const invalidUser = (...pointers: string[]): ExpectedProblem => ({
  status: 422,
  type: "invalid-user",
  pointers,
});
export const invalidQuery = (...parameters: string[]): ExpectedProblem => ({
  status: 400,
  type: "invalid-query",
  parameters,
});
export const unsupported = (headers: Record<string, string>): ExpectedProblem => ({
  status: 415,
  type: "unsupported-media-type",
  headers,
});

/** Requests with these bodies, for every method that has a body. */
export function withEveryMethod(bodies: readonly BadBody[]): BadRequest[] {
  const targets = [
    { method: "POST", path: "/api/users" },
    { method: "PUT", path: fixturePath },
    { method: "PATCH", path: fixturePath },
  ];
  return targets.flatMap((target) =>
    bodies.map(({ name, body, expected }) => ({
      name: `${target.method} with ${name}`,
      sent: { ...target, headers: json, body },
      expected,
    })),
  );
}

/** Concatenates text and bytes that are not valid UTF-8. */
export function bytes(...pieces: (string | readonly number[])[]): Uint8Array {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : Buffer.from([...piece]))),
  );
}

export function nested(levels: number, open: string, close: string, core = ""): string {
  return open.repeat(levels) + core + close.repeat(levels);
}
