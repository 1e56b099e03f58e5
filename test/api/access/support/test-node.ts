import { readConfig } from "../../../../src/config/config.ts";
import type { ProblemDocument } from "../../../../src/contract/problems.ts";
import { startService } from "../../../../src/serve.ts";
import { conforming } from "../../../support/conformance.ts";
import { pooler } from "../../../support/postgres/fresh-database.ts";
import { TestClock } from "../../../support/test-clock.ts";

export interface TestRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, except a string with a Content-Type. */
  readonly body?: unknown;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The problem document, if the response has one. */
  readonly problem: ProblemDocument | undefined;
}

/** A node of the service. Several can share a database. */
export interface TestNode {
  /** The log, which has every request. */
  readonly log: readonly string[];
  readonly clock: TestClock;
  /** Sends a request, and checks the response against the OpenAPI description. */
  request(sent: TestRequest): Promise<TestResponse>;
  /** Like `request`, but returns the unread response. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  stop(): Promise<void>;
}

/** Starts a node on a free port, configured by environment variables. */
export async function startNode(
  database: string,
  env: Readonly<Record<string, string>> = {},
): Promise<TestNode> {
  const log: string[] = [];
  const config = readConfig([], {
    DATABASE_URL: database,
    PORT: "0",
    // Many nodes share one PostgreSQL server, and the tests send many requests.
    ROSTER_DATABASE_POOL: "3",
    ROSTER_DATABASE_POOLER: pooler,
    ROSTER_RATE_LIMIT: "0",
    // Longer than the default: a thread may start slowly on a busy machine.
    ROSTER_DATABASE_WAIT: "60000",
    // A busy machine must not make requests slow, which are logged as warnings.
    ROSTER_SLOW_MS: "3600000",
    ROSTER_LOG_LEVEL: "debug",
    ROSTER_LOG_FORMAT: "json",
    ...env,
  });
  const output = { write: (line: string) => log.push(line), terminal: false };
  const clock = new TestClock();
  const service = await startService(config, output, [], clock);
  const url = service.url.replace("//0.0.0.0:", "//127.0.0.1:");
  const send: TestNode["send"] = async (method, path, body, headers = {}) => {
    const isText = typeof body === "string" && headers["content-type"] !== undefined;
    const response = await fetch(url + path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    return conforming(method, path, response);
  };
  return {
    log,
    clock,
    send,
    async request({ method, path, headers, body }) {
      const response = await send(method, path, body, headers);
      const text = await response.text();
      const isProblem = response.headers.get("content-type") === "application/problem+json";
      return {
        status: response.status,
        headers: response.headers,
        text,
        problem: isProblem && text !== "" ? JSON.parse(text) : undefined,
      };
    },
    stop: () => service.stop(),
  };
}
