import { connect } from "node:net";
import { toNdjson } from "../bulk-requests.ts";
import type { TestRequest } from "../call.ts";
import { pick } from "../consistency/recording-client.ts";
import { importLines } from "../process/bulk-import.ts";
import { requestText } from "../process/connection.ts";
import type { Roster } from "../process/roster.ts";

/** Statuses that no input may cause. */
const isServerError = (status: number) => status === 500 || status === 502;
const TIMEOUT_MS = 30_000;

/** Clients that abort requests, imports and exports, and send invalid input. */
export class CarelessClients {
  readonly counts: Record<string, number> = {};
  readonly errors: string[] = [];
  #isRunning = false;
  #work: Promise<unknown> = Promise.resolve();
  #number = 0;
  /** Mostly invalid lines, so that the database does not grow much. */
  readonly #lines = toNdjson(
    importLines("aborted", 2000).map(({ email: _, ...fields }, line) =>
      line % 100 === 0 ? fields : { line },
    ),
  );
  readonly #actions: Record<string, () => Promise<unknown>>;

  constructor(
    readonly roster: Roster,
    readonly count: number,
  ) {
    this.#actions = {
      "complete request": () => this.#createAndDelete(),
      "aborted request": () => this.#abortRequest(),
      "half a request": () =>
        this.#sendAndClose(requestText("POST", "/api/users", '{"name":"Ada"}').slice(0, -5)),
      "half a head": () => this.#sendAndClose("POST /api/users HTTP/1.1\r\nHost: loc"),
      "idle connection": () => this.#sendAndClose(""),
      "unread response": () => this.#sendAndClose(requestText("GET", "/api/users?limit=500").repeat(5)),
      "aborted import": () => this.#abortImport(),
      "import closed without reading": () => this.#sendAndClose(this.#importText()),
      "aborted export": () => this.#abortExport(),
      "invalid input": () => this.#sendInvalid(),
      "invalid HTTP": () =>
        this.#sendAndClose(pick(["GET\r\n\r\n", "\0\u0001\u0002", "GET / HTTP/9.9\r\n\r\n"]) ?? ""),
    };
  }

  start(): void {
    this.#isRunning = true;
    this.#work = Promise.all(Array.from({ length: this.count }, () => this.#run()));
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      const name = pick(Object.keys(this.#actions)) ?? "";
      this.counts[name] = (this.counts[name] ?? 0) + 1;
      await this.#actions[name]?.();
    }
  }

  /** Sends a request, and checks the response if one arrives. */
  async #send(
    path: string,
    request: TestRequest,
    signal = AbortSignal.timeout(TIMEOUT_MS),
  ): Promise<Response | undefined> {
    try {
      // Without kept-alive connections, which would count as open file descriptors.
      const headers = { ...request.headers, connection: "close" };
      const response = await this.roster.call(path, { ...request, headers, keepalive: false, signal });
      if (isServerError(response.status))
        this.errors.push(`${request.method ?? "GET"} ${path}: ${response.status}`);
      return response;
    } catch (error) {
      if (!signal.aborted) this.errors.push(`${request.method ?? "GET"} ${path}: ${String(error)}`);
      return undefined;
    }
  }

  async #createAndDelete(): Promise<void> {
    const headers = { "idempotency-key": `${++this.#number}` };
    const request = { method: "POST", json: { name: "Complete" }, headers };
    const created = await this.#send("/api/users", request);
    const location = created?.headers.get("location");
    await created?.text();
    if (location) await (await this.#send(location, { method: "DELETE" }))?.text();
  }

  async #abortRequest(): Promise<void> {
    const path =
      pick(["/api/users?limit=500&sort=-name", "/api/users?q=line&count=true", "/api/users/1"]) ?? "";
    const response = await this.#send(path, {}, AbortSignal.timeout(Math.random() * 20));
    await response?.text().catch(() => {});
  }

  /** Sends an import slowly, and aborts it in the middle. */
  async #abortImport(): Promise<void> {
    const abort = new AbortController();
    const encoder = new TextEncoder();
    const part = this.#lines.slice(0, Math.floor(Math.random() * this.#lines.length));
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(part));
        await Bun.sleep(Math.random() * 50);
        abort.abort();
      },
    });
    const headers = { "content-type": "application/x-ndjson" };
    const response = await this.#send("/api/users/import", { method: "POST", body, headers }, abort.signal);
    await response?.text().catch(() => {});
  }

  #importText(): string {
    return requestText("POST", "/api/users/import", "{}\n".repeat(20_000)).replace(
      "application/json",
      "application/x-ndjson",
    );
  }

  /** Reads the beginning of an export only. */
  async #abortExport(): Promise<void> {
    const accept = pick(["application/x-ndjson", "text/csv"]) ?? "";
    const response = await this.#send("/api/users/export", { headers: { accept } });
    const reader = response?.body?.getReader();
    await reader?.read().catch(() => {});
    await reader?.cancel().catch(() => {});
  }

  async #sendInvalid(): Promise<void> {
    const json = { "content-type": "application/json" };
    const requests: [path: string, request: TestRequest][] = [
      ["/api/users", { method: "POST", body: "{", headers: json }],
      ["/api/users", { method: "POST", body: '{"name":""}', headers: json }],
      ["/api/users", { method: "POST", body: "x".repeat(100_000), headers: json }],
      ["/api/users", { method: "POST", body: "name", headers: { "content-type": "text/plain" } }],
      [
        "/api/users/import",
        { method: "POST", body: '"\u0000"\n'.repeat(1000), headers: { "content-type": "text/csv" } },
      ],
      [
        "/api/users/import",
        { method: "POST", body: "{]\n".repeat(1000), headers: { "content-type": "application/x-ndjson" } },
      ],
      ["/api/users?limit=x&after=%00&sort=age", {}],
      ["/api/users/1", { method: "PATCH", body: "[]", headers: { ...json, "if-match": '"x' } }],
      ["/api/users/99999999999999999999", {}],
      ["/api/nothing", { method: "PUT", body: "{}" }],
      ["/api/users", { headers: { authorization: "Bearer wrong" } }],
    ];
    const [path, request] = pick(requests) ?? ["/", {}];
    await (await this.#send(path, request))?.text().catch(() => {});
  }

  /** Sends bytes over a new connection, reads nothing, and resets the connection after a while. */
  async #sendAndClose(text: string): Promise<void> {
    const socket = connect({ host: "127.0.0.1", port: this.roster.port });
    socket.on("error", () => {});
    socket.pause();
    if (text !== "") socket.write(text);
    await Bun.sleep(Math.random() * 50);
    if (Math.random() < 0.5) socket.destroy();
    else socket.resetAndDestroy();
  }
}
