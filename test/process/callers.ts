import type { Fields, Ledger, User } from "./ledger.ts";
import type { Roster } from "./roster.ts";

export const words = ["Ada", "José", "Zoë", "Åsa", "Grace", "Müller"] as const;
export const teams = ["red", "green", "blue", "grey"] as const;
const MOST_OWNED = 10;

/** Callers at work on one service until it is gone. */
export class Callers {
  #killed = false;
  #number = 0;

  constructor(
    readonly ledger: Ledger,
    readonly count: number,
  ) {}

  /** Users that every caller changes, made before the first crash. */
  async makeShared(roster: Roster, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const created: User = await (await roster.send("POST", "/api/users", { name: "Shared" })).json();
      const { id } = created;
      const answer = await roster.send("PATCH", `/api/users/${id}`, { mark: `shared-${id}`, team: "all" });
      if (answer.status !== 200) throw new Error(`PATCH answered ${answer.status}.`);
      this.ledger.shared.push({ id, version: 2, counters: new Map() });
    }
  }

  /** All callers at once; the service is killed in the middle of it. */
  async workUntilKilled(roster: Roster, afterMs: number): Promise<void> {
    this.#killed = false;
    const work = Array.from({ length: this.count }, (_, index) => this.#work(roster, `c${index}`));
    await Bun.sleep(afterMs);
    this.#killed = true;
    roster.kill("SIGKILL");
    await Promise.all([...work, roster.exited]);
  }

  async #work(roster: Roster, owner: string): Promise<void> {
    while (await this.#step(roster, owner));
  }

  /** One write; false when its answer did not come, since the service is gone. */
  #step(roster: Roster, owner: string): Promise<boolean> {
    const owned = this.ledger.usersOf(owner);
    const user = pick(owned);
    const dice = Math.random();
    if (dice < 0.1) return this.#count(roster, owner);
    if (!user || (dice < 0.45 && owned.length < MOST_OWNED)) return this.#create(roster, owner);
    if (dice < 0.65) return this.#patch(roster, user);
    if (dice < 0.8) return this.#put(roster, user);
    return this.#remove(roster, user);
  }

  async #create(roster: Roster, owner: string): Promise<boolean> {
    const mark = `${owner}-${++this.#number}`;
    const fields = content(mark, 1, this.#freeEmail(owner));
    const body = JSON.stringify(fields);
    const keyed = Math.random() < 0.5 ? { key: `key-${mark}`, mark, body, answer: undefined } : undefined;
    if (keyed) this.ledger.keyed.push(keyed);
    this.ledger.send(mark, fields);
    const headers = keyed && { "idempotency-key": keyed.key };
    const answer = await this.#answer(roster, "POST", "/api/users", 201, body, headers);
    if (answer === undefined) return false;
    this.ledger.acknowledge(mark, answer);
    const record = this.ledger.keyed.find(({ key }) => key === keyed?.key);
    if (record) record.answer = answer;
    return true;
  }

  async #patch(roster: Roster, user: User): Promise<boolean> {
    const { name, team, rev, deep } = content(user.mark, Number(user.rev) + 1, null);
    const patch: Fields = { name: name ?? "", team: team ?? "", rev: rev ?? 0, deep: deep ?? {}, note: null };
    const { note: _, ...fields } = { ...ownFields(user), ...patch };
    return this.#change(roster, "PATCH", user, patch, fields);
  }

  async #put(roster: Roster, user: User): Promise<boolean> {
    const owner = user.mark.split("-")[0] ?? "";
    const fields = content(user.mark, Number(user.rev) + 1, this.#freeEmail(owner));
    return this.#change(roster, "PUT", user, fields, fields);
  }

  async #change(roster: Roster, method: string, user: User, body: Fields, result: Fields): Promise<boolean> {
    this.ledger.send(user.mark, result);
    const answer = await this.#answer(roster, method, `/api/users/${user.id}`, 200, JSON.stringify(body));
    if (answer === undefined) return false;
    this.ledger.acknowledge(user.mark, answer);
    return true;
  }

  async #remove(roster: Roster, user: User): Promise<boolean> {
    this.ledger.send(user.mark, undefined);
    const answer = await this.#answer(roster, "DELETE", `/api/users/${user.id}`, 204);
    if (answer === undefined) return false;
    this.ledger.acknowledge(user.mark, undefined);
    return true;
  }

  /** Counts up the caller's own field of a user that all the others change too. */
  async #count(roster: Roster, owner: string): Promise<boolean> {
    const shared = pick(this.ledger.shared);
    if (!shared) return true;
    const count = shared.counters.get(owner) ?? { acknowledged: 0, sent: 0 };
    shared.counters.set(owner, count);
    count.sent++;
    const patch = JSON.stringify({ [owner]: count.sent });
    const answer = await this.#answer(roster, "PATCH", `/api/users/${shared.id}`, 200, patch);
    if (answer === undefined) return false;
    const user: User = JSON.parse(answer);
    shared.version = Math.max(shared.version, user.version);
    count.acknowledged = count.sent;
    this.ledger.figures.acknowledged++;
    return true;
  }

  /** One that no user of the owner has now, though earlier ones may have had it; now and then none. */
  #freeEmail(owner: string): string | null {
    const taken = new Set(this.ledger.usersOf(owner).map(({ email }) => email));
    const all = Array.from({ length: MOST_OWNED + 3 }, (_, index) => `${owner}.${index}@Example.com`);
    return Math.random() < 0.2 ? null : (pick(all.filter((email) => !taken.has(email))) ?? null);
  }

  /** The body of the answer; undefined when none came. Before the kill that is a fault, as is any other status. */
  async #answer(
    roster: Roster,
    method: string,
    path: string,
    expected: number,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<string | undefined> {
    try {
      const init = body === undefined ? { method } : { method, body };
      const response = await roster.call(path, {
        ...init,
        headers: { "content-type": "application/json", ...headers },
      });
      const text = await response.text();
      if (response.status === expected) return text;
      this.ledger.faults.push(`${method} ${path} answered ${response.status}: ${text}`);
    } catch (error) {
      if (!this.#killed) this.ledger.faults.push(`${method} ${path} failed: ${String(error)}`);
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

function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
