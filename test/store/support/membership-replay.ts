import { expect } from "bun:test";
import type { Store } from "../../../src/domain/store.ts";

/** What the events say: users with the groups that they get back, and groups with their members. */
export interface EventReplay {
  readonly users: ReadonlyMap<number, { state: "user" | "deleted" | "purged"; kept: readonly number[] }>;
  readonly groups: ReadonlyMap<number, { name: string; version: number; members: Set<number> }>;
  /** In the order of the events. */
  readonly removedGroups: readonly number[];
}

interface Event {
  readonly type: string;
  readonly subject: { readonly id: number };
  readonly version: number;
  readonly requestId: string | null;
  readonly changes: { readonly members?: { readonly added: number[]; readonly removed: number[] } };
  readonly record: { readonly name: string; readonly version: number; readonly memberCount: number } | null;
}

/** Follows the events of a store and checks each: versions have no gap, and each change of members is one. */
export class MembershipReplay {
  readonly #store: Store;
  #position: number;
  readonly #users = new Map<number, { state: "user" | "deleted" | "purged"; kept: readonly number[] }>();
  readonly #groups = new Map<number, { name: string; version: number; members: Set<number> }>();
  readonly #removed = new Set<number>();

  private constructor(store: Store, position: number) {
    this.#store = store;
    this.#position = position;
  }

  /** Begins after the last event. */
  static async start(store: Store): Promise<MembershipReplay> {
    return new MembershipReplay(store, await store.events.last());
  }

  async readNew(): Promise<EventReplay> {
    const events: Event[] = [];
    const before = this.#position;
    for (;;) {
      const page = await this.#store.events.read({ limit: 500, after: this.#position });
      if (!page) throw new Error("Events are missing.");
      events.push(...page.events.map(({ json }): Event => JSON.parse(json)));
      this.#position = page.events.at(-1)?.position ?? this.#position;
      if (page.next === undefined) break;
      this.#position = page.next;
    }
    // The events of one subject are in the order of the commits. Those of users tell which changes of members belong to them.
    for (const event of events) if (event.type.startsWith("group.")) this.#followGroup(event);
    this.#expectOneEventPerWrite(events);
    await this.#expectHistories(events, before);
    for (const event of events) if (event.type.startsWith("user.")) this.#followUser(event, events);
    for (const { members } of this.#groups.values())
      for (const id of members) expect([id, this.#users.get(id)?.state]).toEqual([id, "user"]);
    return {
      users: this.#users,
      groups: this.#groups,
      removedGroups: [...this.#removed],
    };
  }

  #followGroup({ type, subject: { id }, version, changes, record }: Event): void {
    expect(record).toMatchObject({ id, version });
    const name = record?.name ?? "";
    const group = this.#groups.get(id);
    if (type === "group.created") {
      expect([id, version, group, this.#removed.has(id)]).toEqual([id, 1, undefined, false]);
      this.#groups.set(id, { name, version, members: new Set() });
      return;
    }
    if (!group) throw new Error(`There is an event ${type} of group ${id}, which does not exist.`);
    expect([id, version]).toEqual([id, type === "group.deleted" ? group.version : group.version + 1]);
    Object.assign(group, { name, version });
    const { added, removed } = changes.members ?? { added: [], removed: [] };
    if (type === "group.members_changed") expect(added.length + removed.length).toBeWithin(1, 1001);
    for (const userId of added) expect([id, userId, group.members.has(userId)]).toEqual([id, userId, false]);
    for (const userId of added) group.members.add(userId);
    for (const userId of removed)
      expect([id, userId, group.members.delete(userId)]).toEqual([id, userId, true]);
    expect([id, version, record?.memberCount]).toEqual([id, version, group.members.size]);
    if (type !== "group.deleted") return;
    this.#groups.delete(id);
    this.#removed.add(id);
  }

  /** Each user that an event names has it in its history, and no other one. */
  async #expectHistories(events: readonly Event[], after: number): Promise<void> {
    const usersOf = ({ type, subject, changes: { members } }: Event) =>
      type.startsWith("user.") ? [subject.id] : [...(members?.added ?? []), ...(members?.removed ?? [])];
    for (const id of new Set(events.flatMap(usersOf))) {
      const history = await this.#store.events.read({ historyOf: id, after, limit: 1000 });
      const found = history?.events.map(({ json }) => JSON.parse(json));
      expect([id, found]).toEqual([id, events.filter((event) => usersOf(event).includes(id))]);
    }
  }

  /** No write of these tests changes more than 1,000 members of a group. */
  #expectOneEventPerWrite(events: readonly Event[]): void {
    const changes = events.filter(({ type }) => type === "group.members_changed");
    const keys = changes.map(({ subject, requestId }) => `${subject.id} ${requestId}`);
    expect(keys).toEqual([...new Set(keys)]);
  }

  /** Groups of one write have events with its request id. */
  #followUser({ type, subject: { id }, requestId }: Event, events: readonly Event[]): void {
    const changed = (list: "added" | "removed") =>
      events
        .filter((event) => event.requestId === requestId && event.changes.members?.[list].includes(id))
        .map(({ subject }) => subject.id)
        .sort((a, b) => a - b);
    const user = this.#users.get(id);
    switch (type) {
      case "user.created":
        this.#users.set(id, { state: "user", kept: [] });
        break;
      case "user.deleted":
        expect([id, user?.state]).toEqual([id, "user"]);
        this.#users.set(id, { state: "deleted", kept: changed("removed") });
        break;
      case "user.restored": {
        expect([id, user?.state]).toEqual([id, "deleted"]);
        const back = changed("added");
        // Groups that still exist have existed when the user was restored.
        const lasting = (user?.kept ?? []).filter((groupId) => this.#groups.has(groupId));
        expect(user?.kept ?? []).toEqual(expect.arrayContaining(back));
        expect(back).toEqual(expect.arrayContaining(lasting));
        this.#users.set(id, { state: "user", kept: [] });
        break;
      }
      case "user.purged":
        this.#users.set(id, { state: "purged", kept: [] });
        break;
    }
  }
}
