import { HttpConnection } from "./http-connection.ts";
import type { Operation, ResponseData, UserRequest } from "./operation.ts";

export interface ClientOptions {
  /** The ports of the nodes. Each request goes to any of them. */
  readonly ports: () => readonly number[];
  /** A promise: a response that takes longer is an error. Default: any time. */
  readonly withinMs?: number;
  /** Whether connections may break, because the test cuts them or kills nodes. Default: a broken connection is an error. */
  readonly mayBreak?: boolean;
}

/** A response that takes longer never comes. */
const HANG_MS = 60_000;

/** Every request of every client, in the order in which they ended. */
export class History {
  readonly operations: Operation[] = [];
  /** What is wrong with single responses, whatever the others say. */
  readonly errors: string[] = [];
  readonly counts = {
    responses: 0,
    reads: 0,
    unavailable: 0,
    unavailableReads: 0,
    broken: 0,
    refused: 0,
    slowestMs: 0,
  };
}

/** Sends requests for one client, on new and on kept-alive connections, and records them. */
export class RecordingClient {
  readonly #kept = new Map<number, HttpConnection>();

  constructor(
    readonly history: History,
    readonly options: ClientOptions,
  ) {}

  /** Returns undefined if no response arrived. */
  async send(request: UserRequest): Promise<ResponseData | undefined> {
    const { history } = this;
    const port = pick(this.options.ports()) ?? 0;
    const isFresh = Math.random() < 0.5;
    const invoked = performance.now();
    let connection: HttpConnection;
    try {
      connection = await this.#connect(port, isFresh);
    } catch (error) {
      history.counts.refused++;
      if (!this.options.mayBreak)
        history.errors.push(`${request.method} could not connect: ${String(error)}`);
      return undefined;
    }
    let response: ResponseData | undefined;
    try {
      const received = await connection.send(encodeRequest(request, isFresh), HANG_MS);
      const { status, text, replayed, head } = received;
      response = { status, text, replayed };
      history.counts.responses++;
      if (request.method === "GET") history.counts.reads++;
      if (status === 503) this.#checkUnavailable(request, text, head);
    } catch (error) {
      history.counts.broken++;
      if (!this.options.mayBreak) history.errors.push(`${request.method} failed: ${String(error)}`);
    }
    const now = performance.now();
    this.#checkTime(request, now - invoked);
    if (isFresh) connection.close();
    const completed = response && response.status !== 503 ? now : Number.POSITIVE_INFINITY;
    const refused = response?.status === 503 && { refusedAt: Date.now() };
    history.operations.push({ request, invoked, completed, response, ...refused });
    return response;
  }

  close(): void {
    for (const connection of this.#kept.values()) connection.close();
    this.#kept.clear();
  }

  async #connect(port: number, isFresh: boolean): Promise<HttpConnection> {
    const kept = this.#kept.get(port);
    if (!isFresh && kept?.isOpen) return kept;
    const connection = await HttpConnection.open(port);
    if (!isFresh) this.#kept.set(port, connection);
    return connection;
  }

  #checkUnavailable({ method }: UserRequest, text: string, head: string): void {
    this.history.counts.unavailable++;
    if (method === "GET") this.history.counts.unavailableReads++;
    if (!/\r\nretry-after: [1-9]/i.test(head) || !text.includes('"/problems/unavailable"'))
      this.history.errors.push(`503 without Retry-After or with another type: ${head}\n${text}`);
  }

  #checkTime({ method }: UserRequest, ms: number): void {
    const { counts, errors } = this.history;
    counts.slowestMs = Math.max(counts.slowestMs, Math.round(ms));
    if (ms > (this.options.withinMs ?? Number.POSITIVE_INFINITY))
      errors.push(`${method} took ${Math.round(ms)} ms`);
  }
}

function encodeRequest(request: UserRequest, isFresh: boolean): string {
  const { method } = request;
  const id = method === "POST" || request.id === undefined ? "" : `/${request.id}`;
  const query = method === "GET" && request.query ? `?${request.query}` : "";
  const body = "body" in request ? JSON.stringify(request.body) : "";
  return [
    `${method} /api/users${id}${query} HTTP/1.1`,
    "Host: localhost",
    ...(isFresh ? ["Connection: close"] : []),
    ...(body && ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    ...("key" in request && request.key !== undefined ? [`Idempotency-Key: ${request.key}`] : []),
    ...("ifMatch" in request && request.ifMatch !== undefined ? [`If-Match: "${request.ifMatch}"`] : []),
    "",
    body,
  ].join("\r\n");
}

export function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
