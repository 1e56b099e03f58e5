import { isObject, type JsonObject } from "../../../src/contract/json.ts";

/** What is known of a request that changed nothing, or had a precondition. */
export interface RequestOutcome {
  readonly status: number;
  /** The versions that its precondition names. Undefined if any will do. */
  readonly versions: readonly number[] | undefined;
}

/** An event, with what the check reads. */
export interface FeedEvent {
  readonly type: string;
  readonly requestId: string | null;
  readonly subject: { readonly type: string; readonly id: number };
  readonly version: number | null;
  readonly record: JsonObject | null;
}

/** What a service has done, as its requests, its records and its events tell. */
export interface FeedFacts {
  /** By request id. */
  readonly outcomes: ReadonlyMap<string, RequestOutcome>;
  /** The users and groups, read before the events. By `user:42`. */
  readonly records: ReadonlyMap<string, JsonObject>;
}

const MAX_FOUND = 10;

/**
 * Finds in the events what no response shows: changes by requests that failed, preconditions that did not hold, versions that are
 * missing, and records that changed without an event. Get all events of the service, oldest first.
 */
export class FeedCheck {
  readonly #facts: FeedFacts;
  readonly #last = new Map<string, FeedEvent>();
  readonly #seen = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #found: string[] = [];

  constructor(facts: FeedFacts) {
    this.#facts = facts;
  }

  observe(event: FeedEvent): void {
    const { type, subject, version, record, requestId } = event;
    const outcome = this.#facts.outcomes.get(requestId ?? "");
    const name = `${subject.type}:${subject.id}`;
    if (outcome) this.#judgeOutcome(event, outcome);
    if (requestId !== null) this.#begun.add(requestId);
    if (subject.type !== "user" && subject.type !== "group") return;
    const before = this.#last.get(name);
    const expected = nextVersion(before, type);
    if (version !== expected)
      this.#report(`${type} of ${name} has version ${version} after ${before?.type} ${before?.version}`);
    this.#last.set(name, event);
    const current = this.#facts.records.get(name);
    if (!current || current.version !== version || type.endsWith(".deleted")) return;
    this.#seen.add(name);
    if (isObject(record) && !Bun.deepEquals(withoutCount(record), withoutCount(current)))
      this.#report(
        `${name} differs from its event: ${JSON.stringify(current)} and ${JSON.stringify(record)}`,
      );
  }

  /** What is wrong, after the last event. */
  finish(): readonly string[] {
    for (const name of this.#facts.records.keys()) {
      if (!this.#seen.has(name)) this.#report(`no event led to ${name} as it is`);
    }
    return this.#found;
  }

  #judgeOutcome(
    { type, requestId, subject, version }: FeedEvent,
    { status, versions }: RequestOutcome,
  ): void {
    const what = `${requestId} with status ${status}: ${type} of ${subject.type} ${subject.id}`;
    if (status >= 400) this.#report(`a request that failed made a change: ${what}`);
    if (versions === undefined || version === null || this.#begun.has(requestId ?? "")) return;
    const before = /\.(deleted|purged)$/.test(type) ? version : version - 1;
    if (!versions.includes(before))
      this.#report(`a change of version ${before} in spite of If-Match ${versions}: ${what}`);
  }

  #report(what: string): void {
    if (this.#found.length < MAX_FOUND) this.#found.push(what);
  }
}

/** The version that an event has to have. Undefined if there must be no such event now. */
function nextVersion(before: FeedEvent | undefined, type: string): number | undefined {
  if (type.endsWith(".created")) return before ? undefined : 1;
  if (!before || before.type.endsWith(".purged")) return undefined;
  const version = before.version ?? 0;
  const isDeleted = before.type.endsWith(".deleted");
  if (type.endsWith(".deleted")) return isDeleted ? undefined : version;
  if (type.endsWith(".purged")) return isDeleted ? version : undefined;
  return type.endsWith(".restored") === isDeleted ? version + 1 : undefined;
}

/** Without the number of members, which an event has as it was before later ones of the same write. */
function withoutCount({ memberCount: _, ...record }: JsonObject): JsonObject {
  return record;
}
