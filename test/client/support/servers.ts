import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type ClientOptions, createClient } from "../../../src/client/index.ts";
import type { ProblemType } from "../../../src/contract/problems.ts";
import { problemExample, problems } from "../../../src/contract/problems.ts";

/** A request as the server received it. */
interface ReceivedRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface CannedResponse {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** A server's reaction to a request: respond, close the connection, or never respond. */
export type Step = CannedResponse | "drop" | "silence";

export interface TestServer {
  readonly url: string;
  /** The requests so far. */
  readonly seen: readonly ReceivedRequest[];
}

const running = new Set<() => void>();

/** Stops all servers of this file. */
export function stopServers(): void {
  for (const stop of running) stop();
  running.clear();
}

/** Starts a server that takes these steps in turn, and repeats the last one. */
export async function startServer(...steps: Step[]): Promise<TestServer> {
  const seen: ReceivedRequest[] = [];
  const server = createHttpServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = "", url: target = "", headers } = request;
    seen.push({ method, target, headers, body: Buffer.concat(parts).toString() });
    take(steps[Math.min(seen.length, steps.length) - 1] ?? {}, response);
  });
  const url = await listen(server);
  running.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, seen };
}

/** Starts a server with a handler for each request. Returns its URL. */
export async function serveHttp(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    serve(request, response);
  });
  const url = await listen(server);
  running.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

function take(step: Step, response: ServerResponse): void {
  if (step === "silence") return;
  if (step === "drop") response.socket?.destroy();
  else response.writeHead(step.status ?? 200, step.headers).end(step.body);
}

/** Starts a TCP server with a handler for each connection. Returns its URL. */
export async function serveTcp(speak: (socket: Socket, first: Buffer) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => speak(socket, first));
  });
  const url = await listen(server);
  running.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return url;
}

/** The URL of a port where nothing listens. */
export async function unusedUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${portOf(server.address())}`));
  });
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== "object" || address === null) throw new Error("not listening");
  return address.port;
}

export const ada = {
  id: 7,
  name: "Ada",
  version: 3,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): CannedResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** The response with this problem. */
export function problem(type: ProblemType, headers: Record<string, string> = {}): CannedResponse {
  const body = JSON.stringify(problemExample(type, "/api/users/7"));
  return {
    status: problems[type].status,
    headers: { "content-type": "application/problem+json", ...headers },
    body,
  };
}

/** A client that logs nothing. */
export function quietClient(baseUrl: string, options: ClientOptions = {}) {
  return createClient({ baseUrl, onRetry: () => undefined, ...options });
}

/** The error of a promise. */
export async function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  let outcome: unknown;
  try {
    outcome = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`The promise did not reject: ${Bun.inspect(outcome)}`);
}

/** The error of a promise, which must have this class. */
export async function failureOf<T>(
  kind: abstract new (...args: never[]) => T,
  promise: PromiseLike<unknown>,
): Promise<T> {
  const error = await failure(promise);
  if (error instanceof kind) return error;
  throw new Error(`The error is not a ${kind.name}: ${Bun.inspect(error)}`);
}
