import type { Roster } from "../process/roster.ts";
import { pick, type SendWrite, teams, type WriteRequest, words } from "./callers.ts";
import type { Ledger, User } from "./ledger.ts";

export interface ClientOptions {
  /** The service under test. */
  readonly service: Pick<Roster, "call">;
  /** Collects the errors. */
  readonly errors: string[];
  /** A response that takes longer is an error. */
  readonly withinMs: number;
  /** Whether to retry every write. Default: only creates with an Idempotency-Key. */
  readonly repeatsAll?: boolean;
  /** Whether connections may break, because another node takes over. */
  readonly mayBreak?: boolean;
}

interface ResponseText {
  readonly status: number;
  readonly text: string;
}

/** A write that fails for this long is an error. */
const RETRY_LIMIT_MS = 30_000;

/** A client that retries after 503 and after a broken connection, as a careful program does. */
export class RetryingClient {
  readonly counts = { responses: 0, unavailable: 0, broken: 0, repeated: 0, slowestMs: 0 };

  constructor(readonly options: ClientOptions) {}

  /** Sends a write, and retries it where that is safe. */
  readonly write: SendWrite = async (request) => {
    const { method, path, expected, key } = request;
    const deadline = performance.now() + RETRY_LIMIT_MS;
    for (let tries = 0; performance.now() < deadline; tries++) {
      const response = await this.#try(request);
      if (response?.status === expected) return response.text;
      const repeated = tries > 0;
      if (response && method === "DELETE" && repeated && response.status === 404) return response.text;
      const inFlight = repeated && response?.text.includes("/problems/idempotency-in-flight");
      if (response && !inFlight) {
        this.#addError(`${method} ${path}: status ${response.status}: ${response.text}`);
        return undefined;
      }
      await Bun.sleep(10 + Math.random() * 50);
      if (!this.options.repeatsAll && key === undefined) return undefined;
      this.counts.repeated++;
    }
    this.#addError(`${method} ${path} did not succeed within ${RETRY_LIMIT_MS} ms`);
    return undefined;
  };

  /** Sends a read. Undefined means: try again. */
  read(path: string): Promise<ResponseText | undefined> {
    return this.#try({ method: "GET", path });
  }

  async #try({ method, path, body, key }: Omit<WriteRequest, "expected">): Promise<ResponseText | undefined> {
    const begin = performance.now();
    try {
      const response = await this.options.service.call(path, {
        method,
        headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(this.options.withinMs + 10_000),
      });
      const text = await response.text();
      this.counts.responses++;
      if (response.status !== 503) return { status: response.status, text };
      this.counts.unavailable++;
      const retryAfter = Number(response.headers.get("retry-after"));
      if (!(retryAfter > 0) || !text.includes('"/problems/unavailable"'))
        this.#addError(`${method} ${path}: 503 with Retry-After ${retryAfter}: ${text}`);
    } catch (error) {
      this.counts.broken++;
      if (!this.options.mayBreak) this.#addError(`${method} ${path} failed: ${String(error)}`);
    } finally {
      const ms = Math.round(performance.now() - begin);
      this.counts.slowestMs = Math.max(this.counts.slowestMs, ms);
      if (ms > this.options.withinMs) this.#addError(`${method} ${path} took ${ms} ms`);
    }
    return undefined;
  }

  #addError(error: string): void {
    this.options.errors.push(error);
  }
}

/** Reads a random user of one caller, or a list. A missing user or an old version is an error. */
export async function readAndCheck(client: RetryingClient, ledger: Ledger, owner: string): Promise<void> {
  const user = pick(ledger.usersOf(owner));
  if (!user || Math.random() < 0.4) {
    const lists = ["", "?count=true", `?team=${pick(teams)}`, `?q=${pick(words)}`, "?sort=-name&limit=5"];
    const path = `/api/users${pick(lists)}`;
    const response = await client.read(path);
    if (response && response.status !== 200) client.options.errors.push(`${path}: status ${response.status}`);
    return;
  }
  const response = await client.read(`/api/users/${user.id}`);
  if (!response) return;
  const read: Partial<User> = JSON.parse(response.text);
  const old = response.status === 200 && Number(read.version) < user.version;
  const missing = response.status === 404 && ledger.usersOf(owner).some(({ id }) => id === user.id);
  if (old || missing || ![200, 404].includes(response.status))
    client.options.errors.push(
      `${user.mark} was at version ${user.version}, but was read as ${response.text}`,
    );
}
