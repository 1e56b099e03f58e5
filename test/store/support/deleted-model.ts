import { expect } from "bun:test";
import fc from "fast-check";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";

const EMAILS = 4;

/** A random change. `target` chooses one of the users, and `email` one of a few emails, or none. */
export interface Change {
  readonly kind:
    | "create"
    | "edit"
    | "delete"
    | "delete-and-purge"
    | "restore"
    | "restore-with-email"
    | "purge";
  readonly target: number;
  readonly email: number;
}

const kinds: readonly Change["kind"][] = [
  "create",
  "edit",
  "delete",
  "delete-and-purge",
  "restore",
  "restore-with-email",
  "purge",
];

export const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...kinds),
  target: fc.nat(100),
  email: fc.nat(EMAILS),
});

interface ModelUser {
  /** Undefined until the create has returned. */
  id: number | undefined;
  state: "user" | "deleted" | "purged";
  version: number;
  email: string | null;
  events: string[];
}

/** The expected states, versions, emails and events of some users. */
export class UserModel {
  readonly #users: ModelUser[] = [];
  readonly #domain: string;

  /** Each model has its own domain of emails. */
  constructor(domain: string) {
    this.#domain = domain;
  }

  /** Applies a change to the model and submits it to the store. The returned function compares the outcomes. */
  submit(store: Store, change: Change): () => Promise<void> {
    const email = change.email === 0 ? null : `e${change.email}@${this.#domain}`;
    if (change.kind === "create") return this.#create(store, email);
    const known = this.#users.filter(({ id }) => id !== undefined);
    const user = known[change.target % known.length];
    if (!user) return async () => undefined;
    const expected = this.#apply(user, change.kind, email);
    const actual = write(store, change.kind, user.id ?? 0, email).then(
      (version) => version ?? "done",
      (error: unknown) => (error instanceof ProblemError ? error.type : String(error)),
    );
    return async () => expect(await actual).toBe(expected);
  }

  async verify(store: Store): Promise<void> {
    for (const { id = 0, state, version, email, events } of this.#users) {
      const [user, deleted] = [await store.users.read(id), await store.deletedUsers.read(id)];
      expect([id, user?.version]).toEqual([id, state === "user" ? version : undefined]);
      expect([id, deleted?.version]).toEqual([id, state === "deleted" ? version : undefined]);
      const json = (user ?? deleted)?.json;
      if (json) expect(JSON.parse(json).email ?? null).toBe(email);
      if (email) expect((await store.users.find([], [email])).some((found) => found.id === id)).toBe(!!user);
      const page = await store.events.read({ limit: 100, subject: { type: "user", id } });
      expect(page?.events.map(({ json }) => describeEvent(json))).toEqual(
        state === "purged" ? events.map((event) => `${event} erased`) : events,
      );
    }
  }

  #create(store: Store, email: string | null): () => Promise<void> {
    const creating = store.users.create({ record: { name: "Model", ...(email && { email }) } });
    const isTaken = this.#isTaken(email, undefined);
    const user: ModelUser = { id: undefined, state: "user", version: 1, email, events: ["user.created 1"] };
    if (!isTaken) this.#users.push(user);
    return async () => {
      const { outcome } = await creating;
      expect("problem" in outcome ? outcome.problem.type : "created").toBe(
        isTaken ? "email-taken" : "created",
      );
      if ("user" in outcome) user.id = outcome.user.id;
    };
  }

  /** The expected outcome: the version, `done`, or the type of a problem. */
  #apply(user: ModelUser, kind: Exclude<Change["kind"], "create">, email: string | null): string | number {
    const required = kind.startsWith("restore") || kind === "purge" ? "deleted" : "user";
    if (user.state !== required) return "user-not-found";
    const change = (state: ModelUser["state"], version: number, ...actions: string[]) => {
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
      case "edit":
      case "restore":
      case "restore-with-email": {
        const next = kind === "restore" ? user.email : email;
        if (kind === "edit" && next === user.email) return user.version;
        if (this.#isTaken(next, user)) return "email-taken";
        user.email = next;
        change("user", user.version + 1, kind === "edit" ? "updated" : "restored");
        return user.version;
      }
    }
  }

  #isTaken(email: string | null, by: ModelUser | undefined): boolean {
    return this.#users.some(
      (user) => user !== by && user.state === "user" && email !== null && user.email === email,
    );
  }
}

/** Returns the version of the user after the change, if it still exists. */
async function write(
  store: Store,
  kind: Exclude<Change["kind"], "create">,
  id: number,
  email: string | null,
): Promise<number | undefined> {
  switch (kind) {
    case "edit":
      return (await store.users.edit(id, { merge: { email } })).version;
    case "delete":
      await store.users.remove(id);
      return undefined;
    case "delete-and-purge":
      await store.users.remove(id, undefined, undefined, true);
      return undefined;
    case "restore":
      return (await store.deletedUsers.restore(id)).version;
    case "restore-with-email":
      return (await store.deletedUsers.restore(id, { email })).version;
    case "purge":
      await store.deletedUsers.purge(id);
      return undefined;
  }
}

function describeEvent(json: string): string {
  const { type, version, record } = JSON.parse(json);
  return `${type} ${version}${record === null ? " erased" : ""}`;
}
