import {
  type Operation,
  type Outcome,
  outcomeOf,
  type ResponseData,
  type User,
  type UserRequest,
} from "./operation.ts";
import { problem, type Random, respond } from "./simulated-history.ts";

/** Makes a valid history invalid in one way; undefined if the history has no place for it. */
type Falsify = (history: readonly Operation[], random: Random) => Operation[] | undefined;

export const falsifications: Record<string, Falsify> = {
  "stale read": (history, random) => {
    const old = pick(
      sightings(history).filter(({ user }) => lastUsers(history).some(isLaterThan(user))),
      random,
    );
    return old && append(history, [{ method: "GET", id: old.user.id }, respond(200, old.user)]);
  },
  "lost user": (history, random) => {
    const pending = history.filter(
      (each) => each.request.method === "DELETE" && outcomeOf(each) === "unknown",
    );
    const isPending = ({ id }: User) =>
      pending.some(({ request }) => request.method === "DELETE" && request.id === id);
    const user = pick(
      lastUsers(history).filter((each) => !isPending(each)),
      random,
    );
    return user && append(history, [{ method: "GET", id: user.id }, problem(404, "user-not-found")]);
  },
  "deleted user that came back": (history, random) => {
    const deleted = pick(history.filter(isDone("DELETE")), random)?.request;
    const seen = sightings(history).find(
      ({ user }) => deleted?.method === "DELETE" && user.id === deleted.id,
    );
    return seen && append(history, [{ method: "GET", id: seen.user.id }, respond(200, seen.user)]);
  },
  "duplicated create": (history, random) => {
    const user = pick(sightings(history), random)?.user;
    const copy = user && { ...user, id: 1_000_000, version: 1 };
    return copy && append(history, [{ method: "GET", id: copy.id }, respond(200, copy)]);
  },
  "reused id": (history, random) => {
    const user = pick(sightings(history), random)?.user;
    const body = { name: "Again", mark: "again" };
    return user && append(history, [{ method: "POST", body }, respond(201, created(user.id, body))]);
  },
  "email of two users": (history, random) => {
    const holder = pick(
      lastUsers(history).filter(({ email }) => typeof email === "string"),
      random,
    );
    if (!holder?.email) return undefined;
    const body = { name: "Second", mark: "second", email: holder.email };
    const create: Step = [{ method: "POST", body }, respond(201, created(1_000_000, body))];
    return append(history, create, [{ method: "GET", id: holder.id }, respond(200, holder)]);
  },
  "replay with another outcome": (history, random) => {
    const keyed = history.filter(({ request }) => request.method === "POST" && request.key !== undefined);
    const create = pick(keyed.filter(isDone("POST")), random);
    if (!create?.response) return undefined;
    const user: User = JSON.parse(create.response.text);
    const replay = { ...respond(201, { ...user, id: user.id + 1_000_000 }), replayed: true };
    return append(history, [create.request, replay]);
  },
  "version that went back": (history, random) => {
    const user = pick(lastUsers(history), random);
    const body = { mark: "back" };
    const back = user && { ...user, mark: "back", version: Math.max(1, user.version - 1) };
    return back && append(history, [{ method: "PATCH", id: back.id, body }, respond(200, back)]);
  },
  "rejected change that happened": (history, random) => {
    const rejected = pick(
      history.filter((each) => "body" in each.request && outcomeOf(each) === "rejected"),
      random,
    );
    const user = pick(lastUsers(history), random);
    if (!rejected || !("body" in rejected.request) || !user) return undefined;
    const dirty = { ...user, mark: String(rejected.request.body.mark), version: user.version + 1 };
    return append(history, [{ method: "GET", id: user.id }, respond(200, dirty)]);
  },
  "refused change that happened": (history, random) => happensLater(history, random, "refused", () => 0),
  "change that began after it was refused": (history, random) =>
    happensLater(history, random, "unknown", (refusedAt) => refusedAt + 1),
  "change that nobody sent": (history, random) => {
    const user = pick(lastUsers(history), random);
    const phantom = user && { ...user, mark: "phantom", version: user.version + 1 };
    return phantom && append(history, [{ method: "GET", id: phantom.id }, respond(200, phantom)]);
  },
  "rejected condition that held": (history, random) => {
    const user = pick(lastUsers(history), random);
    if (!user) return undefined;
    const body = { mark: "refused" };
    return append(
      history,
      [{ method: "PATCH", id: user.id, body, ifMatch: user.version }, problem(412, "version-mismatch")],
      [{ method: "GET", id: user.id }, respond(200, user)],
    );
  },
  "read before its write": (history, random) => {
    const read = pick(
      history.filter(
        (each) => each.request.method === "GET" && each.request.id && outcomeOf(each) === "done",
      ),
      random,
    );
    const mark = read?.response && JSON.parse(read.response.text).mark;
    const write = history.filter(({ request }) => "body" in request && request.body.mark === mark);
    if (!read || write.length === 0) return undefined;
    const before = Math.min(...write.map(({ invoked }) => invoked));
    const early = { ...read, invoked: before - 2, completed: before - 1 };
    return history.map((each) => (each === read ? early : each));
  },
  "version with another content": (history, random) => {
    const seen = pick(sightings(history), random);
    return (
      seen && append(history, [{ method: "GET", id: seen.user.id }, respond(200, { ...seen.user, extra: 1 })])
    );
  },
  "second success for one version": (history, random) => {
    const conditional = history.filter(
      ({ request }) => "ifMatch" in request && request.ifMatch !== undefined,
    );
    const change = pick(conditional.filter(isDone("PATCH")), random);
    if (!change?.response || change.request.method !== "PATCH") return undefined;
    const user: User = JSON.parse(change.response.text);
    const body = { ...change.request.body, mark: "second" };
    return append(history, [{ ...change.request, body }, respond(200, { ...user, mark: "second" })]);
  },
};

/** A change that got a 503 with this outcome, and that no response shows, is seen at the end. */
function happensLater(
  history: readonly Operation[],
  random: Random,
  outcome: Outcome,
  updatedAt: (refusedAt: number) => number,
): Operation[] | undefined {
  const marks = new Set(sightings(history).map(({ user }) => user.mark));
  const users = new Map(lastUsers(history).map((user) => [user.id, user]));
  const candidates = history.flatMap((operation) => {
    const { request, refusedAt } = operation;
    if (request.method !== "PATCH" && request.method !== "PUT") return [];
    const user = users.get(request.id);
    const mark = String(request.body.mark);
    if (!user || marks.has(mark) || refusedAt === undefined || outcomeOf(operation) !== outcome) return [];
    if (request.ifMatch !== undefined || request.body.email !== undefined) return [];
    const { id, version, createdAt, updatedAt: previous, name, mark: _, ...fields } = user;
    const time = Math.max(updatedAt(refusedAt), Date.parse(previous));
    const kept = request.method === "PATCH" ? { ...fields, name } : { name: String(request.body.name) };
    return [
      {
        ...kept,
        ...request.body,
        name: kept.name,
        mark,
        id,
        version: version + 1,
        createdAt,
        updatedAt: new Date(time).toISOString(),
      },
    ];
  });
  const happened = pick(candidates, random);
  return happened && append(history, [{ method: "GET", id: happened.id }, respond(200, happened)]);
}

type Step = readonly [request: UserRequest, response: ResponseData];

/** Adds operations, one after another, after all others. */
function append(history: readonly Operation[], ...steps: readonly Step[]): Operation[] {
  let end = 0;
  for (const { invoked, completed } of history)
    end = Math.max(end, invoked, completed < Number.POSITIVE_INFINITY ? completed : 0);
  const added = steps.map(([request, response], index) => {
    const invoked = end + 1 + index * 2;
    return { request, response, invoked, completed: invoked + 1 };
  });
  return [...history, ...added];
}

/** Users as single responses show them. */
function sightings(history: readonly Operation[]): { user: User; operation: Operation }[] {
  return history.flatMap((operation) => {
    const { request, response } = operation;
    const showsUser = request.method !== "DELETE" && !(request.method === "GET" && request.id === undefined);
    if (!showsUser || !response || response.replayed || outcomeOf(operation) !== "done") return [];
    return [{ user: JSON.parse(response.text), operation }];
  });
}

/** The users that the reads at the end of a simulated history find. */
function lastUsers(history: readonly Operation[]): User[] {
  const last = new Map<number, User | undefined>();
  for (const { request, response } of history) {
    if (request.method === "GET" && request.id !== undefined && response)
      last.set(request.id, response.status === 200 ? JSON.parse(response.text) : undefined);
  }
  return [...last.values()].filter((user) => user !== undefined);
}

const isLaterThan = (user: User) => (other: User) => other.id === user.id && other.version > user.version;

const isDone = (method: UserRequest["method"]) => (operation: Operation) =>
  operation.request.method === method && outcomeOf(operation) === "done" && !operation.response?.replayed;

function created(id: number, body: { name: string; mark: string }): User {
  const now = new Date(0).toISOString();
  return { ...body, id, version: 1, createdAt: now, updatedAt: now };
}

function pick<T>(values: readonly T[], random: Random): T | undefined {
  return values[Math.floor(random() * values.length)];
}
