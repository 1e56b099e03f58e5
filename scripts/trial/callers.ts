import { type Entry, Ledger } from "./ledger.ts";

/** Milliseconds before each retry. */
const RETRY_DELAYS = [20, 50, 100, 200, 400, 800, 1600];
const RETRYABLE = [502, 503, 504];
const MAX_OWNED = 50;

interface Operation {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** Not safe to repeat. */
  readonly notRepeatable?: boolean;
}

/** Simulated callers. Each has its own users, and sends one request at a time to any of the URLs. */
export class Callers {
  readonly ledger = new Ledger();
  #working = true;
  #work: Promise<void>[] = [];
  #number = 0;

  constructor(readonly urls: readonly [string, ...string[]]) {}

  start(count: number): void {
    this.#work = Array.from({ length: count }, () => this.#run());
  }

  async stop(): Promise<void> {
    this.#working = false;
    await Promise.all(this.#work);
  }

  /** Compares the stored users with the responses to callers. */
  async differences(): Promise<{ users: number; differences: string[] }> {
    const marks: string[] = [];
    let path: string | undefined = "/api/users?limit=1000";
    while (path !== undefined) {
      const response: Response = await fetch(this.urls[0] + path);
      const page: { mark: string }[] = await response.json();
      marks.push(...page.map(({ mark }) => mark));
      path = /<(?:https?:\/\/[^/>]+)?([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    }
    return { users: marks.length, differences: this.ledger.differences(marks) };
  }

  async #run(): Promise<void> {
    const owned: Entry[] = [];
    while (this.#working) {
      const index = Math.floor(Math.random() * owned.length);
      const entry = owned[index];
      const dice = Math.random();
      if (!entry || (dice < 0.25 && owned.length < MAX_OWNED)) {
        const created = await this.#create(dice < 0.15);
        if (created) owned.push(created);
      } else if (dice < 0.85) await this.#use(entry, dice);
      else {
        owned.splice(index, 1);
        await this.#remove(entry);
      }
    }
  }

  async #create(withKey: boolean): Promise<Entry | undefined> {
    const entry = this.ledger.add(`mark-${++this.#number}`);
    const { mark } = entry;
    const body = await this.#attempt({
      what: withKey ? "POST with Idempotency-Key" : "POST without Idempotency-Key",
      method: "POST",
      path: "/api/users",
      status: 201,
      body: { name: `User ${mark}`, mark },
      ...(withKey ? { headers: { "idempotency-key": crypto.randomUUID() } } : { notRepeatable: true }),
    });
    if (body === undefined) return undefined;
    const { id }: { id: number } = JSON.parse(body);
    Object.assign(entry, { id, state: "created" });
    return entry;
  }

  async #use({ id, mark }: Entry, dice: number): Promise<void> {
    const path = `/api/users/${id}`;
    const body = { name: `User ${mark}`, mark, note: dice };
    if (dice < 0.5) await this.#attempt({ what: "GET", method: "GET", path, status: 200 });
    else if (dice < 0.6) {
      await this.#attempt({
        what: "GET",
        method: "GET",
        path: "/api/users?sort=-createdAt&limit=20",
        status: 200,
      });
    } else if (dice < 0.65) {
      await this.#attempt({
        what: "GET",
        method: "GET",
        path: `/api/users?q=${mark}&count=true`,
        status: 200,
      });
    } else if (dice < 0.75) await this.#attempt({ what: "PATCH", method: "PATCH", path, status: 200, body });
    else await this.#attempt({ what: "PUT", method: "PUT", path, status: 200, body });
  }

  async #remove(entry: Entry): Promise<void> {
    entry.state = "deleting";
    const body = await this.#attempt({
      what: "DELETE",
      method: "DELETE",
      path: `/api/users/${entry.id}`,
      status: 204,
    });
    if (body !== undefined) entry.state = "deleted";
  }

  /** Returns the response body, or undefined after the last attempt. */
  async #attempt(operation: Operation): Promise<string | undefined> {
    for (let attempt = 0; ; attempt++) {
      const { status, text } = await this.#send(operation);
      if (status === operation.status) return text;
      const error = `${operation.what}: ${status || text}`;
      this.ledger.recordError(error);
      // An earlier attempt deleted the user, but its response was lost. HTTP clients also retry by themselves.
      if (operation.method === "DELETE" && status === 404) return text;
      if (operation.notRepeatable) return undefined;
      const delay = RETRY_DELAYS[attempt];
      if (delay === undefined || !(status === 0 || RETRYABLE.includes(status))) {
        this.ledger.recordFailure(error);
        return undefined;
      }
      await Bun.sleep(delay * (0.5 + Math.random()));
    }
  }

  async #send({ method, path, body, headers = {} }: Operation): Promise<{ status: number; text: string }> {
    const start = performance.now();
    try {
      const type = body && { "content-type": "application/json" };
      const init = { method, headers: { ...headers, ...type }, ...(body && { body: JSON.stringify(body) }) };
      const url = this.urls[Math.floor(Math.random() * this.urls.length)] ?? "";
      const response = await fetch(url + path, init);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return {
        status: 0,
        text: error instanceof Error && "code" in error ? String(error.code) : String(error),
      };
    } finally {
      this.ledger.recordResponse(performance.now() - start);
    }
  }
}
