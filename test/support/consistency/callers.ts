import type { Roster } from "../process/roster.ts";
import type { Fields, Ledger, User } from "./ledger.ts";

export const words = ["Ada", "José", "Zoë", "Åsa", "Grace", "Müller"] as const;
export const teams = ["red", "green", "blue", "grey"] as const;
const MOST_OWNED = 10;

/** A write that a caller asks for, and the status that says that it was done. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly expected: number;
  readonly body?: string;
  /** Its Idempotency-Key. */
  readonly key?: string;
}

/** Gets the body of the answer; undefined when nobody knows whether the write was done. */
export type Ask = (asked: Asked) => Promise<string | undefined>;

/** Callers at work, each on users of its own and all on some that they share. */
export class Callers {
  #working = false;
  #number = 0;

  constructor(
    readonly ledger: Ledger,
    readonly count: number,
    /** The share of creates with an Idempotency-Key. */
    readonly keyed = 0.5,
  ) {}

  /** Users that every caller changes, made before the first crash. */
  async makeShared(roster: Pick<Roster, "send">, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const created: User = await (await roster.send("POST", "/api/users", { name: "Shared" })).json();
      const { id } = created;
      const answer = await roster.send("PATCH", `/api/users/${id}`, { mark: `shared-${id}`, team: "all" });
      if (answer.status !== 200) throw new Error(`PATCH answered ${answer.status}.`);
      this.ledger.shared.push({ id, version: 2, counters: new Map() });
    }
  }

  /** All callers at once, until `stop`; then until each has its answer. */
  async work(ask: Ask): Promise<void> {
    this.#working = true;
    const one = async (owner: string) => {
      while (this.#working) await this.#step(ask, owner);
    };
    await Promise.all(Array.from({ length: this.count }, (_, index) => one(`c${index}`)));
  }

  stop(): void {
    this.#working = false;
  }

  /** All callers at once; the service is killed in the middle of it. */
  async workUntilKilled(roster: Roster, afterMs: number): Promise<void> {
    const work = this.work((asked) => this.#askOnce(roster, asked));
    await Bun.sleep(afterMs);
    this.stop();
    roster.kill("SIGKILL");
    await Promise.all([work, roster.exited]);
  }

  /** One write. */
  #step(ask: Ask, owner: string): Promise<void> {
    const owned = this.ledger.usersOf(owner);
    const user = pick(owned);
    const dice = Math.random();
    if (dice < 0.1) return this.#count(ask, owner);
    if (!user || (dice < 0.45 && owned.length < MOST_OWNED)) return this.#create(ask, owner);
    if (dice < 0.65) return this.#patch(ask, user);
    if (dice < 0.8) return this.#put(ask, user);
    return this.#remove(ask, user);
  }

  async #create(ask: Ask, owner: string): Promise<void> {
    const mark = `${owner}-${++this.#number}`;
    const fields = content(mark, 1, this.#freeEmail(owner));
    const body = JSON.stringify(fields);
    const keyed =
      Math.random() < this.keyed ? { key: `key-${mark}`, mark, body, answer: undefined } : undefined;
    if (keyed) this.ledger.keyed.push(keyed);
    this.ledger.send(mark, fields);
    const key = keyed && { key: keyed.key };
    const answer = await ask({ method: "POST", path: "/api/users", expected: 201, body, ...key });
    if (answer === undefined) return;
    this.ledger.acknowledge(mark, answer);
    const record = this.ledger.keyed.find(({ key }) => key === keyed?.key);
    if (record) record.answer = answer;
  }

  async #patch(ask: Ask, user: User): Promise<void> {
    const { name, team, rev, deep } = content(user.mark, Number(user.rev) + 1, null);
    const patch: Fields = { name: name ?? "", team: team ?? "", rev: rev ?? 0, deep: deep ?? {}, note: null };
    const { note: _, ...fields } = { ...ownFields(user), ...patch };
    await this.#change(ask, "PATCH", user, patch, fields);
  }

  async #put(ask: Ask, user: User): Promise<void> {
    const owner = user.mark.split("-")[0] ?? "";
    const fields = content(user.mark, Number(user.rev) + 1, this.#freeEmail(owner));
    await this.#change(ask, "PUT", user, fields, fields);
  }

  async #change(ask: Ask, method: string, { mark, id }: User, body: Fields, result: Fields): Promise<void> {
    this.ledger.send(mark, result);
    const path = `/api/users/${id}`;
    const answer = await ask({ method, path, expected: 200, body: JSON.stringify(body) });
    if (answer !== undefined) this.ledger.acknowledge(mark, answer);
  }

  async #remove(ask: Ask, { mark, id }: User): Promise<void> {
    this.ledger.send(mark, undefined);
    const answer = await ask({ method: "DELETE", path: `/api/users/${id}`, expected: 204 });
    if (answer !== undefined) this.ledger.acknowledge(mark, undefined);
  }

  /** Counts up the caller's own field of a user that all the others change too. */
  async #count(ask: Ask, owner: string): Promise<void> {
    const shared = pick(this.ledger.shared);
    if (!shared) return;
    const count = shared.counters.get(owner) ?? { acknowledged: 0, sent: 0 };
    if (count.acknowledged !== count.sent) return;
    shared.counters.set(owner, count);
    count.sent++;
    const body = JSON.stringify({ [owner]: count.sent });
    const answer = await ask({ method: "PATCH", path: `/api/users/${shared.id}`, expected: 200, body });
    if (answer === undefined) return;
    const user: User = JSON.parse(answer);
    shared.version = Math.max(shared.version, user.version);
    count.acknowledged = count.sent;
    this.ledger.figures.acknowledged++;
  }

  /** One that no user of the owner can have now, though earlier ones may have had it; now and then none. */
  #freeEmail(owner: string): string | null {
    const taken = this.ledger.emailsOf(owner);
    const all = Array.from({ length: MOST_OWNED + 3 }, (_, index) => `${owner}.${index}@Example.com`);
    return Math.random() < 0.2 ? null : (pick(all.filter((email) => !taken.has(email))) ?? null);
  }

  /** Before the kill, no answer is a fault, as is any other status. */
  async #askOnce(roster: Roster, { method, path, expected, body, key }: Asked): Promise<string | undefined> {
    try {
      const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
      const response = await roster.call(path, { method, headers, ...(body !== undefined && { body }) });
      const text = await response.text();
      if (response.status === expected) return text;
      this.ledger.faults.push(`${method} ${path} answered ${response.status}: ${text}`);
    } catch (error) {
      if (this.#working) this.ledger.faults.push(`${method} ${path} failed: ${String(error)}`);
    }
    return undefined;
  }
}

/** A record in which every part tells which revision it is of, now and then larger than a page of the file. */
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

function ownFields({
  id: _id,
  version: _version,
  createdAt: _created,
  updatedAt: _updated,
  ...own
}: User): Fields {
  return own;
}

export function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
