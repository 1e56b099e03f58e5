import { expect } from "bun:test";
import fc from "fast-check";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";

const NAMES = 4;

const kinds = [
  "create",
  "create-with-name",
  "edit-email",
  "edit-name",
  "edit-both",
  "delete",
  "delete-and-purge",
  "restore",
  "restore-with-email",
  "restore-with-name",
  "purge",
] as const;

/** A random change. `target` chooses one of the users; `email` and `userName` one of a few names, or none. */
export interface Change {
  readonly kind: (typeof kinds)[number];
  readonly target: number;
  readonly email: number;
  readonly userName: number;
}

export const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...kinds),
  target: fc.nat(100),
  email: fc.nat(NAMES),
  userName: fc.nat(NAMES),
});

/** The email and the `userName` of a user; null for none. */
interface Names {
  email: string | null;
  userName: string | null;
}

interface ModelRow extends Names {
  /** Undefined until the create has returned. */
  id: number | undefined;
  state: "user" | "deleted" | "purged";
  version: number;
  events: string[];
}

/** The expected states, versions, emails, user names and events of some users. */
export class UserModel {
  readonly #users: ModelRow[] = [];
  readonly #domain: string;

  /** Each model has its own domain of emails. User names look like emails: they compete with them. */
  constructor(domain: string) {
    this.#domain = domain;
  }

  /** Applies a change to the model and submits it to the store. The returned function compares the outcomes. */
  submit(store: Store, change: Change): () => Promise<void> {
    const nameOf = (number: number) => (number === 0 ? null : `e${number}@${this.#domain}`);
    const names = requestedNames(change.kind, {
      email: nameOf(change.email),
      userName: nameOf(change.userName),
    });
    if (change.kind === "create" || change.kind === "create-with-name") return this.#create(store, names);
    const known = this.#users.filter(({ id }) => id !== undefined);
    const user = known[change.target % known.length];
    if (!user) return async () => undefined;
    const expected = this.#apply(user, change.kind, names);
    const actual = write(store, change.kind, user.id ?? 0, names).then(
      (version) => version ?? "done",
      (error: unknown) => (error instanceof ProblemError ? error.type : String(error)),
    );
    return async () => expect(await actual).toBe(expected);
  }

  async verify(store: Store): Promise<void> {
    for (const { id = 0, state, version, email, userName, events } of this.#users) {
      const [user, deleted] = [await store.users.read(id), await store.deletedUsers.read(id)];
      expect([id, user?.version]).toEqual([id, state === "user" ? version : undefined]);
      expect([id, deleted?.version]).toEqual([id, state === "deleted" ? version : undefined]);
      const json = (user ?? deleted)?.json;
      const fields = json ? JSON.parse(json) : { email, userName };
      expect([fields.email ?? null, fields.userName ?? null]).toEqual([email, userName]);
      for (const name of [email, userName]) {
        if (name) expect((await store.users.find([], [name])).some((found) => found.id === id)).toBe(!!user);
      }
      const page = await store.events.read({ limit: 100, subject: { type: "user", id } });
      expect(page?.events.map(({ json }) => describeEvent(json))).toEqual(
        state === "purged" ? events.map((event) => `${event} erased`) : events,
      );
    }
  }

  #create(store: Store, { email = null, userName = null }: Partial<Names>): () => Promise<void> {
    const fields = { ...(email && { email }), ...(userName && { userName }) };
    const creating = store.users.create({ record: { name: "Model", ...fields } }).then(
      ({ outcome }) => outcome,
      (error: unknown) => {
        if (error instanceof ProblemError) return { problem: error.data };
        throw error;
      },
    );
    const problem = this.#findProblem({ email, userName }, undefined);
    const events = ["user.created 1"];
    const user: ModelRow = { id: undefined, state: "user", version: 1, email, userName, events };
    if (!problem) this.#users.push(user);
    return async () => {
      const outcome = await creating;
      expect("problem" in outcome ? outcome.problem.type : "created").toBe(problem ?? "created");
      if ("user" in outcome) user.id = outcome.user.id;
    };
  }

  /** The expected outcome: the version, `done`, or the type of a problem. */
  #apply(user: ModelRow, kind: ChangeOfOne, names: Partial<Names>): string | number {
    const required = kind.startsWith("restore") || kind === "purge" ? "deleted" : "user";
    if (user.state !== required) return "user-not-found";
    const change = (state: ModelRow["state"], version: number, ...actions: string[]) => {
      Object.assign(user, { state, version });
      user.events.push(...actions.map((action) => `user.${action} ${version}`));
    };
    switch (kind) {
      case "delete":
        change("deleted", user.version, "deleted");
        return "done";
      case "delete-and-purge":
        change("purged", user.version, "deleted", "purged");
        return "done";
      case "purge":
        change("purged", user.version, "purged");
        return "done";
      default: {
        const { email, userName } = { ...user, ...names };
        const isEdit = kind.startsWith("edit");
        if (isEdit && email === user.email && userName === user.userName) return user.version;
        const problem = this.#findProblem({ email, userName }, user);
        if (problem) return problem;
        Object.assign(user, names);
        change("user", user.version + 1, isEdit ? "updated" : "restored");
        return user.version;
      }
    }
  }

  #findProblem({ email, userName }: Names, by: ModelRow | undefined): string | undefined {
    const others = this.#users.filter((user) => user !== by && user.state === "user");
    if (email !== null && others.some((user) => user.email === email)) return "email-taken";
    const name = userName ?? email;
    const isTaken = name !== null && others.some((user) => (user.userName ?? user.email) === name);
    return isTaken ? "value-taken" : undefined;
  }
}

type ChangeOfOne = Exclude<Change["kind"], "create" | "create-with-name">;

/** The names that a change of this kind sends. */
function requestedNames(kind: Change["kind"], { email, userName }: Names): Partial<Names> {
  if (kind === "create" || kind.endsWith("-email")) return { email };
  if (kind === "create-with-name" || kind === "edit-both") return { email, userName };
  return kind.endsWith("-name") ? { userName } : {};
}

/** Returns the version of the user after the change, if it still exists. */
async function write(
  store: Store,
  kind: ChangeOfOne,
  id: number,
  names: Partial<Names>,
): Promise<number | undefined> {
  switch (kind) {
    case "edit-email":
    case "edit-name":
    case "edit-both":
      return (await store.users.edit(id, { merge: names })).version;
    case "delete":
      await store.users.remove(id);
      return undefined;
    case "delete-and-purge":
      await store.users.remove(id, undefined, undefined, true);
      return undefined;
    case "restore":
    case "restore-with-email":
    case "restore-with-name":
      return (await store.deletedUsers.restore(id, names)).version;
    case "purge":
      await store.deletedUsers.purge(id);
      return undefined;
  }
}

function describeEvent(json: string): string {
  const { type, version, record } = JSON.parse(json);
  return `${type} ${version}${record === null ? " erased" : ""}`;
}
