import {
  type Change,
  type Create,
  describeOperation,
  type Operation,
  outcomeOf,
  problemType,
  type User,
} from "./operation.ts";

/** A create or change. A create with an Idempotency-Key can have several attempts. */
export interface Write {
  readonly mark: string;
  readonly request: Create | Change;
  readonly attempts: Operation[];
}

/** A version of a user that some response showed. */
export interface ObservedVersion {
  readonly user: User;
  readonly json: string;
  readonly write: Write | undefined;
}

/** Everything that a history says about one id. */
export class UserHistory {
  readonly versions = new Map<number, ObservedVersion>();
  /** The earliest completion of an operation that saw this version, and the latest invocation of one. */
  readonly seenBy = new Map<number, Operation>();
  readonly seenAfter = new Map<number, Operation>();
  readonly sightings: { readonly version: number; readonly operation: Operation }[] = [];
  /** Responses that say that the user does not exist. */
  readonly missing: Operation[] = [];
  /** Responses with 412. */
  readonly mismatches: Operation[] = [];
  readonly deletes: Operation[] = [];
  /** Writes and deletes whose outcome is unknown, and that no response has shown. */
  readonly pendingWrites: Write[] = [];
  readonly pendingDeletes: Operation[] = [];

  constructor(readonly id: number) {}

  get lastVersion(): number {
    let last = 0;
    for (const version of this.versions.keys()) last = Math.max(last, version);
    return last;
  }

  saw(version: number, operation: Operation): void {
    this.sightings.push({ version, operation });
    const first = this.seenBy.get(version);
    if (!first || operation.completed < first.completed) this.seenBy.set(version, operation);
    const last = this.seenAfter.get(version);
    if (!last || operation.invoked > last.invoked) this.seenAfter.set(version, operation);
  }
}

export interface HistoryIndex {
  readonly users: ReadonlyMap<number, UserHistory>;
  readonly writes: ReadonlyMap<string, Write>;
  /** Writes with unknown outcome that no response shows. */
  readonly hidden: readonly Write[];
  /** Creates and changes that were rejected because another user has the email. */
  readonly emailTaken: readonly Operation[];
  /** Contradictions that show without looking at times. */
  readonly anomalies: string[];
}

export function indexHistory(operations: readonly Operation[]): HistoryIndex {
  return new Indexer(operations);
}

class Indexer implements HistoryIndex {
  readonly users = new Map<number, UserHistory>();
  readonly writes = new Map<string, Write>();
  readonly hidden: Write[] = [];
  readonly emailTaken: Operation[] = [];
  readonly anomalies: string[] = [];
  readonly #places = new Map<string, string>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) this.#addWrite(operation);
    for (const operation of operations) this.#addResponse(operation);
    for (const write of this.writes.values()) this.#addPending(write);
  }

  #user(id: number): UserHistory {
    const known = this.users.get(id) ?? new UserHistory(id);
    this.users.set(id, known);
    return known;
  }

  #addWrite(operation: Operation): void {
    const { request } = operation;
    if (!("body" in request)) return;
    const mark = String(request.body.mark);
    const write = this.writes.get(mark) ?? { mark, request, attempts: [] };
    const sameKey = request.method === "POST" && write.request.method === "POST" && request.key !== undefined;
    if (write.attempts.length > 0 && !(sameKey && request.key === write.request.key))
      throw new Error(`Two writes have the mark ${mark}.`);
    write.attempts.push(operation);
    this.writes.set(mark, write);
  }

  #addResponse(operation: Operation): void {
    const { request, response } = operation;
    const outcome = outcomeOf(operation);
    if (outcome === "unexpected") this.anomalies.push(`unexpected response: ${describeOperation(operation)}`);
    if (outcome === "rejected" && response) this.#addRejection(operation, problemType(response));
    if (outcome === "unknown" && request.method === "DELETE")
      this.#user(request.id).pendingDeletes.push(operation);
    if (outcome !== "done" || !response) return;
    if (request.method === "DELETE") this.#user(request.id).deletes.push(operation);
    else if (request.method === "GET" && request.id === undefined) this.#addList(operation, response.text);
    else this.#addUser(operation, JSON.parse(response.text), response.text);
  }

  #addRejection(operation: Operation, type: string): void {
    const { request } = operation;
    if (type === "email-taken") this.emailTaken.push(operation);
    else if (request.method !== "POST" && request.id !== undefined) {
      const user = this.#user(request.id);
      (type === "version-mismatch" ? user.mismatches : user.missing).push(operation);
    }
  }

  #addList(operation: Operation, text: string): void {
    const users: User[] = JSON.parse(text);
    const emails = users.flatMap(({ email }) => (typeof email === "string" ? [email.toLowerCase()] : []));
    if (new Set(emails).size < emails.length || new Set(users.map(({ id }) => id)).size < users.length)
      this.anomalies.push(`a list has an id or an email twice: ${describeOperation(operation)}`);
    // Users without a mark belong to other callers, such as probes.
    for (const user of users)
      if (user.mark !== undefined || this.users.has(user.id))
        this.#addUser(operation, user, JSON.stringify(user));
  }

  #addUser(operation: Operation, user: User, json: string): void {
    const { request, response } = operation;
    const { id, version, mark } = user;
    const wrong = (reason: string) => this.anomalies.push(`${reason}: ${describeOperation(operation)}`);
    if ("body" in request && request.body.mark !== mark) wrong("the response shows another write");
    if (request.method !== "POST" && request.id !== undefined && request.id !== id) wrong("another user");
    const history = this.#user(id);
    const write = this.writes.get(mark);
    const known = history.versions.get(version);
    if (known && known.json !== json) return void wrong(`version ${version} was also seen as ${known.json}`);
    if (!known) {
      history.versions.set(version, { user, json, write });
      for (const reason of this.#contradictions(user, write)) wrong(reason);
    }
    // A replay shows the user as it was created, not as it is.
    if (response?.replayed) {
      const first = history.seenBy.get(1);
      if (!first || operation.completed < first.completed) history.seenBy.set(1, operation);
    } else history.saw(version, operation);
  }

  /** Checks a version that is seen for the first time against the write that its mark names. */
  #contradictions(user: User, write: Write | undefined): string[] {
    const { id, version, mark } = user;
    if (!write) return [`nobody sent the write ${mark}`];
    const found: string[] = [];
    const { request } = write;
    const place = this.#places.get(mark);
    if (place !== undefined) found.push(`${mark} happened twice: it is also ${place}`);
    this.#places.set(mark, `version ${version} of user ${id}`);
    if ((request.method === "POST") !== (version === 1))
      found.push(`version ${version} by ${request.method}`);
    if (request.method !== "POST" && request.id !== id) found.push(`${mark} was for user ${request.id}`);
    if (request.method !== "POST" && request.ifMatch !== undefined && request.ifMatch !== version - 1)
      found.push(`${mark} was for version ${request.ifMatch} only`);
    if (isRejected(write)) found.push(`${mark} was rejected, but has happened`);
    if (Date.parse(user.updatedAt) > lastRefusal(write)) found.push(`${mark} began after it was refused`);
    return found;
  }

  #addPending(write: Write): void {
    if (this.#places.has(write.mark) || isRejected(write)) return;
    this.hidden.push(write);
    if (write.request.method !== "POST") this.#user(write.request.id).pendingWrites.push(write);
  }
}

/** Whether a write certainly did not happen. */
function isRejected({ attempts }: Write): boolean {
  return (
    attempts.some((attempt) => outcomeOf(attempt) === "rejected") ||
    attempts.every((attempt) => ["retry", "refused"].includes(outcomeOf(attempt)))
  );
}

/** When the last attempt was refused; Infinity if an attempt succeeded or has no response. Nothing begins to happen later. */
function lastRefusal({ attempts }: Write): number {
  return Math.max(...attempts.map(({ refusedAt = Number.POSITIVE_INFINITY }) => refusedAt));
}

/** The earliest time at which a write can have happened. */
export function earliestTime({ attempts }: Write): number {
  const first = attempts.find((attempt) => outcomeOf(attempt) === "done" && !attempt.response?.replayed);
  if (first) return first.invoked;
  const unknown = attempts.filter((attempt) => outcomeOf(attempt) === "unknown");
  return Math.min(...unknown.map(({ invoked }) => invoked));
}
