import { isDeepStrictEqual } from "node:util";
import { earliestTime, type UserHistory, type Write } from "./index-history.ts";
import { describeOperation, type Fields, type Operation, outcomeOf, type User } from "./operation.ts";

/** When a version became current: not before `earliest`, not after `latest`. */
export interface VersionWindow {
  readonly user: User;
  readonly version: number;
  readonly earliest: number;
  readonly latest: number;
}

export interface UserResult {
  readonly anomalies: readonly string[];
  readonly windows: readonly VersionWindow[];
  /** When the user was deleted; undefined if no response says so. */
  readonly deleted: { readonly earliest: number; readonly latest: number } | undefined;
}

/** A search that takes longer is reported as undecided. */
const MAX_STEPS = 200_000;
const NEVER = Number.POSITIVE_INFINITY;

interface Position {
  readonly version: number;
  /** The record at this version; undefined if no response shows it, and the write before is unknown, too. */
  readonly record: Fields | undefined;
  /** The earliest time at which this version can have become current. */
  readonly time: number;
  readonly used: ReadonlySet<Write>;
}

/**
 * Checks that the operations on one user have an order in which each takes effect between its invocation and its
 * completion. Version numbers give the order of all writes that a response shows. Versions that no response shows must
 * come from writes whose outcome is unknown: the search tries these in all orders that the versions after them allow.
 */
export function checkUser(history: UserHistory, earliestHiddenCreate: number): UserResult {
  return new UserCheck(history, earliestHiddenCreate).run();
}

class UserCheck {
  /** Latest times by version; the entry after the last version is the delete. */
  readonly #latest: number[];
  readonly #latestBy: (Operation | undefined)[];
  readonly #last: number;
  readonly #mustBeDeleted: boolean;
  readonly #earliest: number[] = [];
  #deleted: { earliest: number; latest: number } | undefined;
  #steps = 0;
  #furthest = 0;
  #reason = "";

  constructor(
    readonly history: UserHistory,
    /** The earliest create with unknown outcome that no response shows. */
    readonly earliestHiddenCreate: number,
  ) {
    const { seenBy, mismatches, deletes } = history;
    const existsBy = this.#timesOfExistence();
    // Otherwise the 412 can mean that the version in `If-Match` was yet to come.
    const needed = mismatches.filter((each) => (existsBy[ifMatch(each)] ?? NEVER) < each.invoked);
    let last = history.lastVersion;
    for (const operation of needed) last = Math.max(last, ifMatch(operation) + 1);
    for (const operation of deletes) last = Math.max(last, ifMatch(operation));
    this.#last = last;
    this.#latest = new Array(this.#last + 2).fill(NEVER);
    this.#latestBy = new Array(this.#last + 2).fill(undefined);
    const limit = (version: number, operation: Operation) => {
      if (operation.completed >= (this.#latest[version] ?? 0)) return;
      this.#latest[version] = operation.completed;
      this.#latestBy[version] = operation;
    };
    for (const [version, operation] of seenBy) limit(version, operation);
    for (const operation of needed) limit(ifMatch(operation) + 1, operation);
    for (const operation of deletes) limit(this.#last + 1, operation);
    const created = existsBy[1] ?? NEVER;
    const gone = history.missing.filter(({ invoked }) => created < invoked);
    for (const operation of gone) limit(this.#last + 1, operation);
    this.#mustBeDeleted = deletes.length > 0 || gone.length > 0;
    for (let version = this.#last; version >= 1; version--) {
      if (version === this.#last && !this.#mustBeDeleted) continue;
      if ((this.#latest[version + 1] ?? 0) >= (this.#latest[version] ?? 0)) continue;
      this.#latest[version] = this.#latest[version + 1] ?? 0;
      this.#latestBy[version] = this.#latestBy[version + 1];
    }
  }

  run(): UserResult {
    const { history } = this;
    const failed = (...reasons: string[]) => ({
      anomalies: reasons.map((reason) => `user ${history.id}: ${reason}`),
      windows: [],
      deleted: undefined,
    });
    if (this.#last === 0) return failed();
    if (history.deletes.length > 1)
      return failed(`deleted twice: ${history.deletes.map(describeOperation).join("; ")}`);
    const stale = this.#findStaleReads();
    if (stale.length > 0) return failed(...stale);
    const wrongTimes = this.#findWrongTimes();
    if (wrongTimes !== undefined) return failed(wrongTimes);
    const start: Position = {
      version: 0,
      record: undefined,
      time: Number.NEGATIVE_INFINITY,
      used: new Set(),
    };
    if (!this.#search(start)) {
      return failed(this.#steps > MAX_STEPS ? `undecided after ${MAX_STEPS} steps` : this.#reason);
    }
    const windows = [...history.versions].map(([version, { user }]) => ({
      user,
      version,
      earliest: this.#earliest[version] ?? 0,
      latest: this.#latest[version] ?? 0,
    }));
    return {
      anomalies: [],
      windows: windows.sort((a, b) => a.version - b.version),
      deleted: this.#deleted,
    };
  }

  /** For each version: the first time at which a response had shown that version or a later one. */
  #timesOfExistence(): number[] {
    const times: number[] = [];
    for (let version = this.history.lastVersion; version >= 1; version--)
      times[version] = Math.min(
        this.history.seenBy.get(version)?.completed ?? NEVER,
        times[version + 1] ?? NEVER,
      );
    return times;
  }

  /** Responses that show a version although a later one had been acknowledged or read before the request. */
  #findStaleReads(): string[] {
    const existsBy = this.#timesOfExistence();
    const deletedBy = this.history.deletes[0]?.completed ?? NEVER;
    return this.history.sightings
      .filter(
        ({ version, operation }) => Math.min(existsBy[version + 1] ?? NEVER, deletedBy) < operation.invoked,
      )
      .map(({ version, operation }) => `stale version ${version}: ${describeOperation(operation)}`);
  }

  #findWrongTimes(): string | undefined {
    const versions = [...this.history.versions].sort(([a], [b]) => a - b);
    const [, first] = versions[0] ?? [];
    let updatedAt = "";
    for (const [version, { user, json }] of versions) {
      if (user.createdAt !== first?.user.createdAt) return `createdAt changed: ${json}`;
      if (user.updatedAt < updatedAt) return `updatedAt of version ${version} went back: ${json}`;
      updatedAt = user.updatedAt;
    }
    return undefined;
  }

  /** Moves over versions that responses show, and branches where a version has to be guessed. */
  #search(start: Position): boolean {
    let position = start;
    while (position.version < this.#last) {
      const next = this.history.versions.get(position.version + 1);
      if (!next) return this.#guess(position);
      const moved = next.write && this.#move(position, next.write);
      if (!moved) return false;
      const record = recordOf(next.user);
      if (moved.record && !isDeepStrictEqual(moved.record, record))
        return this.#fail(
          position,
          `version ${moved.version} is ${next.json}, expected ${JSON.stringify(moved.record)}`,
        );
      position = { ...moved, record };
    }
    if (!this.#mustBeDeleted) return true;
    if (this.#delete(position)) return true;
    const isLater = (operation: Operation) => ifMatch(operation) > position.version;
    return this.history.pendingDeletes.some(isLater) && this.#guess(position);
  }

  /** Tries every pending write as the next version. */
  #guess(position: Position): boolean {
    if (++this.#steps > MAX_STEPS) return false;
    const writes = this.history.pendingWrites.filter((write) => !position.used.has(write));
    writes.sort((a, b) => earliestTime(a) - earliestTime(b));
    if (position.version < this.#last)
      this.#fail(position, `no write can have made version ${position.version + 1}`);
    if (position.version === 0 && this.earliestHiddenCreate <= (this.#latest[1] ?? 0)) {
      this.#earliest[1] = this.earliestHiddenCreate;
      return this.#search({ ...position, version: 1, time: this.earliestHiddenCreate });
    }
    for (const write of writes) {
      const moved = this.#move(position, write);
      if (moved && this.#search({ ...moved, used: new Set([...position.used, write]) })) return true;
    }
    return false;
  }

  #move(position: Position, write: Write): Position | undefined {
    const { version } = position;
    const { request } = write;
    const wrong = (reason: string) => void this.#fail(position, reason);
    if ((request.method === "POST") !== (version === 0))
      return wrong(`version ${version + 1} by ${request.method}`);
    if (request.method !== "POST" && request.ifMatch !== undefined && request.ifMatch !== version)
      return wrong(`version ${version + 1} by a write for version ${request.ifMatch}`);
    const time = this.#nextTime(position, earliestTime(write));
    const next = version + 1;
    // Only a guess goes beyond the last version. It comes before the delete.
    const latest = this.#latest[Math.min(next, this.#last + 1)] ?? 0;
    if (time > latest) return wrong(this.#describeConflict(next, write.attempts));
    this.#earliest[next] = time;
    return { version: next, record: apply(write, position.record), time, used: position.used };
  }

  #delete(position: Position): boolean {
    const [acknowledged] = this.history.deletes;
    const candidates = acknowledged
      ? [acknowledged]
      : this.history.pendingDeletes.toSorted((a, b) => a.invoked - b.invoked);
    this.#fail(
      position,
      `was deleted by nobody: ${this.history.missing[0] && describeOperation(this.history.missing[0])}`,
    );
    for (const operation of candidates) {
      const condition = ifMatch(operation);
      if (condition >= 0 && condition !== position.version) {
        this.#fail(position, `deleted at version ${position.version}: ${describeOperation(operation)}`);
        continue;
      }
      const earliest = this.#nextTime(position, operation.invoked);
      const latest = this.#latest[this.#last + 1] ?? 0;
      if (earliest <= latest) {
        this.#deleted = { earliest, latest };
        return true;
      }
      this.#fail(position, this.#describeConflict(this.#last + 1, [operation]));
    }
    return false;
  }

  /** A version ends after every read of it began. */
  #nextTime({ version, time }: Position, invoked: number): number {
    return Math.max(time, invoked, this.history.seenAfter.get(version)?.invoked ?? time);
  }

  #describeConflict(version: number, writes: readonly Operation[]): string {
    const { seenAfter } = this.history;
    const before = seenAfter.get(version - 1);
    const what = version > this.#last ? "the delete" : `version ${version}`;
    const parts = [
      `${what} was seen before it happened, or an earlier version after it`,
      ...writes
        .filter((write) => outcomeOf(write) !== "retry")
        .map((write) => `write ${describeOperation(write)}`),
      ...(before ? [`version ${version - 1} seen by ${describeOperation(before)}`] : []),
      `must have happened before the end of ${this.#latestBy[version] && describeOperation(this.#latestBy[version])}`,
    ];
    return parts.join("\n  ");
  }

  /** Keeps the reason of the attempt that came furthest. */
  #fail({ version }: Position, reason: string): false {
    if (version >= this.#furthest) {
      this.#furthest = version;
      this.#reason = reason;
    }
    return false;
  }
}

/** The version in `If-Match`, or −1. */
function ifMatch({ request }: Operation): number {
  return "ifMatch" in request && request.ifMatch !== undefined ? request.ifMatch : -1;
}

function recordOf({
  id: _id,
  version: _version,
  createdAt: _created,
  updatedAt: _updated,
  ...record
}: User): Fields {
  return record;
}

/** The record after a write: RFC 7396 for PATCH. Workloads patch top-level fields only. */
function apply({ request }: Write, record: Fields | undefined): Fields | undefined {
  if (request.method !== "PATCH") return withoutNullEmail(request.body);
  if (!record) return undefined;
  const merged: Fields = { ...record };
  for (const [field, value] of Object.entries(request.body)) {
    if (value === null) delete merged[field];
    else merged[field] = value;
  }
  return merged;
}

/** `email: null` means no email. Other fields can be null. */
function withoutNullEmail({ email, ...record }: Fields): Fields {
  return email === null || email === undefined ? record : { email, ...record };
}
