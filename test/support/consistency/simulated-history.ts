import type { Fields, Operation, ResponseData, User, UserRequest } from "./operation.ts";

/** A source of random numbers from 0 to 1, for example seeded by a property-based test. */
export type Random = () => number;

const EMAILS = ["a@example.com", "b@example.com"];

/** Simulates a correct service with concurrent clients, and returns the history that they record. */
export function simulateHistory(random: Random, steps: number): Operation[] {
  return new Simulation(random).run(steps);
}

class Simulation {
  readonly #users = new Map<number, User>();
  readonly #owners = new Map<unknown, number>();
  readonly #outcomes = new Map<string, ResponseData>();
  readonly #operations: Operation[] = [];
  readonly #creates: UserRequest[] = [];
  #lastId = 0;
  #time = 0;
  #marks = 0;

  constructor(readonly random: Random) {}

  run(steps: number): Operation[] {
    for (let step = 0; step < steps; step++) this.#perform(this.#request());
    // In the end, every user is read, as after a real run.
    for (let id = 1; id <= this.#lastId; id++) this.#perform({ method: "GET", id }, 0);
    return this.#operations;
  }

  /** Applies a request at a moment within its own time, which overlaps with that of its neighbours. */
  #perform(request: UserRequest, loss = 0.1): void {
    this.#time += 1 + this.random();
    const invoked = this.#time - this.random() * 3;
    const isLost = this.random() < loss;
    const isRefused = isLost && this.random() < 0.4;
    const happens = !isLost || (!isRefused && this.random() < 0.5);
    const response = happens ? this.#apply(request) : undefined;
    if (!isLost) {
      this.#operations.push({ request, invoked, completed: this.#time + this.random() * 3, response });
      return;
    }
    const lost = { request, invoked, completed: Number.POSITIVE_INFINITY };
    const refusedAt = this.#time + 1;
    if (isRefused) this.#operations.push({ ...lost, response: unavailable("not made"), refusedAt });
    else if (this.random() < 0.75)
      this.#operations.push({ ...lost, response: unavailable(IN_DOUBT), refusedAt });
    else this.#operations.push({ ...lost, response: undefined });
  }

  #request(): UserRequest {
    const recent = Math.min(this.#lastId, 50);
    const id = this.#lastId - Math.floor(this.random() * recent);
    const user = this.#users.get(id);
    const dice = this.random();
    if (!user || dice < 0.15) return this.#create();
    const condition = this.random() < 0.4 ? { ifMatch: user.version - (this.random() < 0.3 ? 1 : 0) } : {};
    const ifMatch = condition.ifMatch === 0 ? {} : condition;
    if (dice < 0.4) return { method: "GET", id };
    if (dice < 0.5) return { method: "GET" };
    if (dice < 0.55) return { method: "DELETE", id, ...ifMatch };
    if (dice < 0.7) return { method: "PUT", id, body: this.#body(), ...ifMatch };
    const mark = this.#mark();
    const email = this.random() < 0.3 ? { email: this.random() < 0.5 ? null : this.#email() } : {};
    return {
      method: "PATCH",
      id,
      body: { mark, [`f${Math.floor(this.random() * 3)}`]: mark, ...email },
      ...ifMatch,
    };
  }

  #create(): UserRequest {
    const repeated = this.#creates[Math.floor(this.random() * this.#creates.length)];
    if (repeated && this.random() < 0.3) return repeated;
    const body = this.#body();
    if (this.random() < 0.5) return { method: "POST", body };
    const create: UserRequest = { method: "POST", body, key: String(body.mark) };
    this.#creates.push(create);
    return create;
  }

  #body(): Fields {
    const mark = this.#mark();
    return { name: mark, mark, ...(this.random() < 0.3 && { email: this.#email() }) };
  }

  #apply(request: UserRequest): ResponseData {
    if (request.method === "GET" && request.id === undefined) return respond(200, this.#lastUsers());
    if (request.method !== "POST") return this.#applyToUser(request);
    const stored = request.key === undefined ? undefined : this.#outcomes.get(request.key);
    if (stored) return { ...stored, replayed: true };
    const response = this.#isTaken(request.body.email, 0)
      ? problem(409, "email-taken")
      : this.#store(request.body);
    if (request.key !== undefined) this.#outcomes.set(request.key, response);
    return response;
  }

  #applyToUser(request: Exclude<UserRequest, { method: "POST" }>): ResponseData {
    const user = this.#users.get(request.id ?? 0);
    if (!user) return problem(404, "user-not-found");
    if (request.method === "GET") return respond(200, user);
    if (request.ifMatch !== undefined && request.ifMatch !== user.version)
      return problem(412, "version-mismatch");
    if (request.method === "DELETE") {
      this.#users.delete(user.id);
      return { status: 204, text: "", replayed: false };
    }
    const { id, version, createdAt, updatedAt: _, ...record } = user;
    const merged: Fields = request.method === "PUT" ? request.body : { ...record, ...request.body };
    if (this.#isTaken(merged.email, id)) return problem(409, "email-taken");
    return this.#save({ ...withoutNulls(merged), id, version: version + 1, createdAt });
  }

  #store(body: Fields): ResponseData {
    return this.#save({ ...body, id: ++this.#lastId, version: 1, createdAt: this.#now() }, 201);
  }

  #save(fields: Fields & { id: number; version: number; createdAt: string }, status = 200): ResponseData {
    const user: User = {
      ...fields,
      name: String(fields.name),
      mark: String(fields.mark),
      updatedAt: this.#now(),
    };
    this.#users.set(user.id, user);
    if (user.email !== undefined) this.#owners.set(user.email, user.id);
    return respond(status, user);
  }

  #isTaken(email: unknown, id: number): boolean {
    const owner = this.#users.get(this.#owners.get(email) ?? 0);
    return typeof email === "string" && owner?.email === email && owner.id !== id;
  }

  #lastUsers(): User[] {
    const ids = Array.from({ length: 10 }, (_, index) => this.#lastId - index);
    return ids.map((id) => this.#users.get(id)).filter((user) => user !== undefined);
  }

  #email(): string {
    return EMAILS[Math.floor(this.random() * EMAILS.length)] ?? "";
  }

  #mark(): string {
    return `m${++this.#marks}`;
  }

  #now(): string {
    return new Date(this.#time).toISOString();
  }
}

function withoutNulls<Record extends Fields>(record: Record): Record {
  for (const [field, value] of Object.entries(record)) if (value === null) delete record[field];
  return record;
}

/** The detail of a 503 after which nobody knows whether the write was made. */
export const IN_DOUBT = "The write may or may not have been committed.";

export function unavailable(detail: string): ResponseData {
  return respond(503, { type: "/problems/unavailable", detail });
}

export function respond(status: number, body: unknown): ResponseData {
  return { status, text: JSON.stringify(body), replayed: false };
}

export function problem(status: number, type: string): ResponseData {
  return respond(status, { type: `/problems/${type}` });
}
