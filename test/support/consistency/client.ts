import type { Roster } from "../process/roster.ts";
import { type Ask, type Asked, pick, teams, words } from "./callers.ts";
import type { Ledger, User } from "./ledger.ts";

export interface ClientOptions {
  /** Where its requests go. */
  readonly service: Pick<Roster, "call">;
  /** Where faults are told. */
  readonly faults: string[];
  /** Every answer has to be in by then. */
  readonly withinMs: number;
  /** Whether it repeats every write until it is done, or creates with a key only: others stay unsettled. */
  readonly repeatsAll?: boolean;
  /** Whether connections may break: there is another node behind the same address. */
  readonly mayBreak?: boolean;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** How long a write is repeated before that is a fault. */
const GIVES_UP_MS = 30_000;

/** Asks as a careful program does: 503 and a connection that breaks are no failures, but to be tried again. */
export class Client {
  readonly figures = { answers: 0, unavailable: 0, broken: 0, repeated: 0, slowestMs: 0 };

  constructor(readonly options: ClientOptions) {}

  /** A write, repeated where that is safe. */
  readonly ask: Ask = async (asked) => {
    const { method, path, expected, key } = asked;
    const deadline = performance.now() + GIVES_UP_MS;
    for (let tries = 0; performance.now() < deadline; tries++) {
      const answer = await this.#try(asked);
      if (answer?.status === expected) return answer.text;
      const repeated = tries > 0;
      if (answer && method === "DELETE" && repeated && answer.status === 404) return answer.text;
      const inFlight = repeated && answer?.text.includes("/problems/idempotency-in-flight");
      if (answer && !inFlight) {
        this.#fault(`${method} ${path} answered ${answer.status}: ${answer.text}`);
        return undefined;
      }
      await Bun.sleep(10 + Math.random() * 50);
      if (!this.options.repeatsAll && key === undefined) return undefined;
      this.figures.repeated++;
    }
    this.#fault(`${method} ${path} was not done in ${GIVES_UP_MS} ms`);
    return undefined;
  };

  /** A read; undefined when it has to be asked again. */
  read(path: string): Promise<Answer | undefined> {
    return this.#try({ method: "GET", path });
  }

  async #try({ method, path, body, key }: Omit<Asked, "expected">): Promise<Answer | undefined> {
    const begin = performance.now();
    try {
      const response = await this.options.service.call(path, {
        method,
        headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(this.options.withinMs + 10_000),
      });
      const text = await response.text();
      this.figures.answers++;
      if (response.status !== 503) return { status: response.status, text };
      this.figures.unavailable++;
      const retryAfter = Number(response.headers.get("retry-after"));
      if (!(retryAfter > 0) || !text.includes('"/problems/unavailable"'))
        this.#fault(`${method} ${path} answered 503 with Retry-After ${retryAfter}: ${text}`);
    } catch (error) {
      this.figures.broken++;
      if (!this.options.mayBreak) this.#fault(`${method} ${path} failed: ${String(error)}`);
    } finally {
      const ms = Math.round(performance.now() - begin);
      this.figures.slowestMs = Math.max(this.figures.slowestMs, ms);
      if (ms > this.options.withinMs) this.#fault(`${method} ${path} took ${ms} ms`);
    }
    return undefined;
  }

  #fault(fault: string): void {
    this.options.faults.push(fault);
  }
}

/** One read of what the owner's caller knows to be there, or of a page of a list. */
export async function readSomething(client: Client, ledger: Ledger, owner: string): Promise<void> {
  const user = pick(ledger.usersOf(owner));
  if (!user || Math.random() < 0.4) {
    const lists = ["", "?count=true", `?team=${pick(teams)}`, `?q=${pick(words)}`, "?sort=-name&limit=5"];
    const path = `/api/users${pick(lists)}`;
    const answer = await client.read(path);
    if (answer && answer.status !== 200) client.options.faults.push(`${path} answered ${answer.status}`);
    return;
  }
  const answer = await client.read(`/api/users/${user.id}`);
  if (!answer) return;
  const read: Partial<User> = JSON.parse(answer.text);
  const old = answer.status === 200 && Number(read.version) < user.version;
  const missing = answer.status === 404 && ledger.usersOf(owner).some(({ id }) => id === user.id);
  if (old || missing || ![200, 404].includes(answer.status))
    client.options.faults.push(`${user.mark} was at version ${user.version}, and read as ${answer.text}`);
}
