import type { Roster } from "../process/roster.ts";
import type { Fields, Ledger, User } from "./ledger.ts";

export const words = ["Ada", "José", "Zoë", "Åsa", "Grace", "Müller"] as const;
export const teams = ["red", "green", "blue", "grey"] as const;
const MAX_USERS_PER_CALLER = 10;

/** A write, and the status of its success. */
export interface WriteRequest {
  readonly method: string;
  readonly path: string;
  readonly expected: number;
  readonly body?: string;
  /** The Idempotency-Key. */
  readonly key?: string;
}

/** Sends a write and returns the response body; undefined if the outcome is unknown. */
export type SendWrite = (request: WriteRequest) => Promise<string | undefined>;

/** Concurrent callers. Each changes its own users, and all of them change a few shared users. */
export class Callers {
  #working = false;
  #number = 0;

  constructor(
    readonly ledger: Ledger,
    readonly count: number,
    /** The share of creates with an Idempotency-Key. */
    readonly keyed = 0.5,
  ) {}

  /** Creates the users that every caller changes. Call it before the first crash. */
  async createSharedUsers(roster: Pick<Roster, "send">, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const created: User = await (await roster.send("POST", "/api/users", { name: "Shared" })).json();
      const { id } = created;
      const response = await roster.send("PATCH", `/api/users/${id}`, { mark: `shared-${id}`, team: "all" });
      if (response.status !== 200) throw new Error(`PATCH: status ${response.status}`);
      this.ledger.shared.push({ id, version: 2, counters: new Map() });
    }
  }

  /** Runs all callers until `stop`, then waits for their last responses. */
  async work(ask: SendWrite): Promise<void> {
    this.#working = true;
    const runCaller = async (owner: string) => {
      while (this.#working) await this.#step(ask, owner);
    };
    await Promise.all(Array.from({ length: this.count }, (_, index) => runCaller(`c${index}`)));
  }

  stop(): void {
    this.#working = false;
  }

  /** Runs all callers, and kills the service after a while. */
  async workUntilKilled(roster: Roster, afterMs: number): Promise<void> {
    const work = this.work((request) => this.#sendOnce(roster, request));
    await Bun.sleep(afterMs);
    this.stop();
    roster.kill("SIGKILL");
    await Promise.all([work, roster.exited]);
  }

  /** Sends one random write. */
  #step(ask: SendWrite, owner: string): Promise<void> {
    const owned = this.ledger.usersOf(owner);
    const user = pick(owned);
    const dice = Math.random();
    if (dice < 0.1) return this.#count(ask, owner);
    if (!user || (dice < 0.45 && owned.length < MAX_USERS_PER_CALLER)) return this.#create(ask, owner);
    if (dice < 0.65) return this.#patch(ask, user);
    if (dice < 0.8) return this.#put(ask, user);
    return this.#remove(ask, user);
  }

  async #create(ask: SendWrite, owner: string): Promise<void> {
    const mark = `${owner}-${++this.#number}`;
    const fields = content(mark, 1, this.#freeEmail(owner));
    const body = JSON.stringify(fields);
    const keyed =
      Math.random() < this.keyed ? { key: `key-${mark}`, mark, body, response: undefined } : undefined;
    if (keyed) this.ledger.keyed.push(keyed);
    this.ledger.send(mark, fields);
    const key = keyed && { key: keyed.key };
    const response = await ask({ method: "POST", path: "/api/users", expected: 201, body, ...key });
    if (response === undefined) return;
    this.ledger.acknowledge(mark, response);
    const record = this.ledger.keyed.find(({ key }) => key === keyed?.key);
    if (record) record.response = response;
  }

  async #patch(ask: SendWrite, user: User): Promise<void> {
    const { name, team, rev, deep } = content(user.mark, Number(user.rev) + 1, null);
    const patch: Fields = { name: name ?? "", team: team ?? "", rev: rev ?? 0, deep: deep ?? {}, note: null };
    const { note: _, ...fields } = { ...writtenFields(user), ...patch };
    await this.#change(ask, "PATCH", user, patch, fields);
  }

  async #put(ask: SendWrite, user: User): Promise<void> {
    const owner = user.mark.split("-")[0] ?? "";
    const fields = content(user.mark, Number(user.rev) + 1, this.#freeEmail(owner));
    await this.#change(ask, "PUT", user, fields, fields);
  }

  async #change(
    ask: SendWrite,
    method: string,
    { mark, id }: User,
    body: Fields,
    result: Fields,
  ): Promise<void> {
    this.ledger.send(mark, result);
    const path = `/api/users/${id}`;
    const response = await ask({ method, path, expected: 200, body: JSON.stringify(body) });
    if (response !== undefined) this.ledger.acknowledge(mark, response);
  }

  async #remove(ask: SendWrite, { mark, id }: User): Promise<void> {
    this.ledger.send(mark, undefined);
    const response = await ask({ method: "DELETE", path: `/api/users/${id}`, expected: 204 });
    if (response !== undefined) this.ledger.acknowledge(mark, undefined);
  }

  /** Increments this caller's counter field of a shared user. */
  async #count(ask: SendWrite, owner: string): Promise<void> {
    const shared = pick(this.ledger.shared);
    if (!shared) return;
    const count = shared.counters.get(owner) ?? { acknowledged: 0, sent: 0 };
    if (count.acknowledged !== count.sent) return;
    shared.counters.set(owner, count);
    count.sent++;
    const body = JSON.stringify({ [owner]: count.sent });
    const response = await ask({ method: "PATCH", path: `/api/users/${shared.id}`, expected: 200, body });
    if (response === undefined) return;
    const user: User = JSON.parse(response);
    shared.version = Math.max(shared.version, user.version);
    count.acknowledged = count.sent;
    this.ledger.counts.acknowledged++;
  }

  /** Picks an email that no current user of the owner can have; sometimes none. */
  #freeEmail(owner: string): string | null {
    const taken = this.ledger.emailsOf(owner);
    const all = Array.from(
      { length: MAX_USERS_PER_CALLER + 3 },
      (_, index) => `${owner}.${index}@Example.com`,
    );
    return Math.random() < 0.2 ? null : (pick(all.filter((email) => !taken.has(email))) ?? null);
  }

  /** Sends a write once. A lost response or another status is an error, unless the service was killed. */
  async #sendOnce(
    roster: Roster,
    { method, path, expected, body, key }: WriteRequest,
  ): Promise<string | undefined> {
    try {
      const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
      const response = await roster.call(path, { method, headers, ...(body !== undefined && { body }) });
      const text = await response.text();
      if (response.status === expected) return text;
      this.ledger.errors.push(`${method} ${path}: status ${response.status}: ${text}`);
    } catch (error) {
      if (this.#working) this.ledger.errors.push(`${method} ${path} failed: ${String(error)}`);
    }
    return undefined;
  }
}

/** A record whose every part names its revision. Some records are larger than a database page. */
function content(mark: string, rev: number, email: string | null): Fields {
  const fields: Fields = {
    name: `${pick(words) ?? ""} ${mark}`,
    mark,
    team: pick(teams) ?? "",
    rev,
    deep: { rev, tags: [`${mark}/${rev}`] },
  };
  if (email !== null) fields.email = email;
  if (Math.random() < 0.2) fields.note = `${rev} `.repeat(1500);
  return fields;
}

function writtenFields({
  id: _id,
  version: _version,
  createdAt: _created,
  updatedAt: _updated,
  ...written
}: User): Fields {
  return written;
}

export function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
