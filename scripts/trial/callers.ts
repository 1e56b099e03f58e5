import { type Entry, Ledger } from "./ledger.ts";

/** How long a caller waits before each further try, in milliseconds. */
const PAUSES = [20, 50, 100, 200, 400, 800, 1600];
const AWAY = [502, 503, 504];
const MOST_OWNED = 50;

/** What a caller wants done. */
interface Operation {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** Only what may be done twice is tried twice. */
  readonly once?: boolean;
}

/** Callers at work. Each has users of its own, and does one thing at a time, at any of the addresses. */
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

  /** Where what is there differs from what they were told. */
  async differences(): Promise<{ users: number; differences: string[] }> {
    const marks: string[] = [];
    let path: string | undefined = "/api/users?limit=1000";
    while (path !== undefined) {
      const response: Response = await fetch(this.urls[0] + path);
      const page: { mark: string }[] = await response.json();
      marks.push(...page.map(({ mark }) => mark));
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    }
    return { users: marks.length, differences: this.ledger.differences(marks) };
  }

  async #run(): Promise<void> {
    const owned: Entry[] = [];
    while (this.#working) {
      const place = Math.floor(Math.random() * owned.length);
      const entry = owned[place];
      const dice = Math.random();
      if (!entry || (dice < 0.25 && owned.length < MOST_OWNED)) {
        const created = await this.#create(dice < 0.15);
        if (created) owned.push(created);
      } else if (dice < 0.85) await this.#use(entry, dice);
      else {
        owned.splice(place, 1);
        await this.#remove(entry);
      }
    }
  }

  async #create(keyed: boolean): Promise<Entry | undefined> {
    const entry = this.ledger.add(`mark-${++this.#number}`);
    const { mark } = entry;
    const answer = await this.#do({
      what: keyed ? "POST with a key" : "POST without a key",
      method: "POST",
      path: "/api/users",
      status: 201,
      body: { name: `Somebody ${mark}`, mark },
      ...(keyed ? { headers: { "idempotency-key": crypto.randomUUID() } } : { once: true }),
    });
    if (answer === undefined) return undefined;
    const { id }: { id: number } = JSON.parse(answer);
    Object.assign(entry, { id, state: "there" });
    return entry;
  }

  async #use({ id, mark }: Entry, dice: number): Promise<void> {
    const path = `/api/users/${id}`;
    const body = { name: `Somebody ${mark}`, mark, note: dice };
    if (dice < 0.5) await this.#do({ what: "GET", method: "GET", path, status: 200 });
    else if (dice < 0.6) {
      await this.#do({
        what: "GET",
        method: "GET",
        path: "/api/users?sort=-createdAt&limit=20",
        status: 200,
      });
    } else if (dice < 0.65) {
      await this.#do({ what: "GET", method: "GET", path: `/api/users?q=${mark}&count=true`, status: 200 });
    } else if (dice < 0.75) await this.#do({ what: "PATCH", method: "PATCH", path, status: 200, body });
    else await this.#do({ what: "PUT", method: "PUT", path, status: 200, body });
  }

  async #remove(entry: Entry): Promise<void> {
    entry.state = "leaving";
    const answer = await this.#do({
      what: "DELETE",
      method: "DELETE",
      path: `/api/users/${entry.id}`,
      status: 204,
    });
    if (answer !== undefined) entry.state = "gone";
  }

  /** The answer's body, or nothing when it has been tried enough. */
  async #do(deed: Operation): Promise<string | undefined> {
    for (let tries = 0; ; tries++) {
      const { status, text } = await this.#ask(deed);
      if (status === deed.status) return text;
      const trouble = `${deed.what}: ${status || text}`;
      this.ledger.trouble(trouble);
      // One that was done, though its answer was lost, leaves nobody to delete. HTTP clients try again by themselves.
      if (deed.method === "DELETE" && status === 404) return text;
      if (deed.once) return undefined;
      const pause = PAUSES[tries];
      if (pause === undefined || !(status === 0 || AWAY.includes(status))) {
        this.ledger.failure(trouble);
        return undefined;
      }
      await Bun.sleep(pause * (0.5 + Math.random()));
    }
  }

  async #ask({ method, path, body, headers = {} }: Operation): Promise<{ status: number; text: string }> {
    const begin = performance.now();
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
      this.ledger.answered(performance.now() - begin);
    }
  }
}
