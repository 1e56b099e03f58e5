import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../../../src/contract/json.ts";
import type { GroupChange, Match, MixedChange, ScimGroupBody } from "./changes.ts";
import { applyOperation, applyScimBody, compact, dropMainEntry, showUser, storeUser } from "./user-model.ts";

/** An event, in short. */
export interface ModelEvent {
  readonly type: string;
  readonly subject: string;
  readonly version: number;
  readonly members?: { readonly added: readonly number[]; readonly removed: readonly number[] };
}

/** What a change responds with, and its events. A bulk change has the status of each user. */
export interface Effect {
  readonly status: number;
  readonly statuses?: readonly number[];
  readonly events: readonly ModelEvent[];
}

interface ModelUser {
  state: "present" | "deleted";
  version: number;
  /** What callers of the API write. */
  record: JsonObject;
  /** The groups of a deleted user. */
  kept: readonly number[];
}

interface ModelGroup {
  version: number;
  record: JsonObject;
  members: Set<number>;
}

/** A write that is refused with this status. */
class Refusal {
  constructor(readonly status: number) {}
}

/** The users and groups as the API and SCIM show them, if nobody else changes them. */
export class MixedModel {
  readonly users = new Map<number, ModelUser>();
  readonly groups = new Map<number, ModelGroup>();
  /** The ids of groups that have been deleted. */
  readonly removedGroups: number[] = [];
  /** The users that have had each email and user name since the requests were sent. */
  readonly #owners = new Map<string, ReadonlySet<number>>();
  #isRetried = false;
  #events: ModelEvent[] = [];

  copy(): MixedModel {
    const copy = new MixedModel();
    for (const [id, user] of this.users) copy.users.set(id, { ...user });
    for (const [id, group] of this.groups) copy.groups.set(id, { ...group, members: new Set(group.members) });
    copy.removedGroups.push(...this.removedGroups);
    for (const [key, owners] of this.#owners) copy.#owners.set(key, owners);
    return copy;
  }

  /** To call before requests are sent. */
  begin(): void {
    this.#owners.clear();
    this.#noteOwners();
  }

  /** What the API shows, by id. */
  get records(): { readonly users: JsonObject[]; readonly groups: JsonObject[] } {
    const present = [...this.users].filter(([, { state }]) => state === "present");
    return {
      users: sortById(present.map(([id, { record, version }]) => ({ ...record, id, version }))),
      groups: sortById(
        [...this.groups].map(([id, { record, version, members }]) => {
          const memberCount = members.size;
          return { ...record, id, version, memberCount };
        }),
      ),
    };
  }

  /**
   * Makes the change. `createdId` is the id that the service has given, if the change creates something. SCIM tries a change with the email
   * first, and then without it: `isRetried` if another user had the email at the first time, and other changes came in between.
   */
  apply(change: MixedChange, createdId: number, isRetried = false): Effect {
    this.#events = [];
    this.#isRetried = isRetried;
    try {
      const { status, statuses } = this.#apply(change, createdId);
      this.#noteOwners();
      return { status, ...(statuses && { statuses }), events: this.#events };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, events: [] };
    }
  }

  #apply(change: MixedChange, createdId: number): Omit<Effect, "events"> {
    switch (change.kind) {
      case "api-create-user":
        return this.#createUser(createdId, change.record, undefined);
      case "scim-post-user": {
        const { record, withoutEmail } = storeUser(applyScimBody({}, change.body), undefined, {});
        return this.#createUser(createdId, record, withoutEmail);
      }
      case "api-patch-user":
        return this.#changeUser(change, (record) => compact({ ...record, ...change.patch }));
      case "api-put-user":
        return this.#changeUser(change, () => change.record);
      case "scim-put-user":
        return this.#writeDocument(change, ({ id, active, level }) => ({
          document: applyScimBody(compact({ id, active, level }), change.body),
          // A PUT stores a user name also if it changes nothing else.
          storesName: true,
        }));
      case "scim-patch-user":
        return this.#writeDocument(change, (shown) => ({
          document: change.operations.reduce(applyOperation, shown),
          storesName: false,
        }));
      case "api-delete-user":
      case "scim-delete-user":
        this.#user(change);
        this.#deleteMany([change.id]);
        return { status: 204 };
      case "restore-user":
        return this.#restore(change.id, change.changes);
      case "bulk-patch":
        return {
          status: 200,
          statuses: change.ids.map((id) =>
            statusOf(() =>
              this.#changeUser({ id, match: "any" }, (record) => compact({ ...record, ...change.patch })),
            ),
          ),
        };
      case "bulk-delete": {
        const present = change.ids.filter((id) => this.#isPresent(id));
        this.#deleteMany(present);
        return { status: 200, statuses: change.ids.map((id) => (present.includes(id) ? 204 : 404)) };
      }
      default:
        return this.#applyToGroup(change, createdId);
    }
  }

  #applyToGroup(change: GroupChange, createdId: number): Omit<Effect, "events"> {
    if (change.kind === "scim-refused") return { status: 400 };
    if (change.kind === "api-create-group") {
      this.#createGroup(createdId, change.record, []);
      return { status: 201 };
    }
    if (change.kind === "scim-post-group") {
      this.#createGroup(createdId, groupRecord({}, change.body), change.body.members ?? []);
      return { status: 201 };
    }
    const { record, members, version } = this.#group(change);
    if (change.kind === "api-set-member" && !this.#isPresent(change.userId)) throw new Refusal(404);
    switch (change.kind) {
      case "api-patch-group":
        this.#changeGroup(change.id, compact({ ...record, ...change.patch }));
        return { status: 200 };
      case "api-delete-group":
      case "scim-delete-group":
        this.groups.delete(change.id);
        this.removedGroups.push(change.id);
        this.#log("group.deleted", `group:${change.id}`, version);
        return { status: 204 };
      case "api-patch-members":
        if (!change.add.every((id) => this.#isPresent(id))) throw new Refusal(422);
        this.#changeMembers(change.id, change);
        return { status: 200 };
      case "api-set-member": {
        const ids = [change.userId];
        this.#changeMembers(change.id, change.isMember ? { add: ids } : { remove: ids });
        return { status: 204 };
      }
      case "bulk-members": {
        const present = change.ids.filter((id) => this.#isPresent(id));
        this.#changeMembers(change.id, change.isMember ? { add: present } : { remove: present });
        return { status: 200, statuses: change.ids.map((id) => (present.includes(id) ? 200 : 404)) };
      }
      case "scim-put-group": {
        this.#changeGroup(change.id, groupRecord(compact({ level: record.level }), change.body));
        const next = change.body.members;
        if (next) this.#changeMembers(change.id, { add: next, remove: without(members, next) });
        return { status: 200 };
      }
      case "scim-patch-group":
        this.#changeGroup(change.id, compact({ ...record, ...change.patch }));
        this.#changeMembers(change.id, change);
        return { status: 204 };
      case "scim-replace-members":
        this.#changeGroup(change.id, compact({ ...record, ...change.patch }));
        this.#changeMembers(change.id, { add: change.members, remove: without(members, change.members) });
        return { status: 204 };
    }
  }

  #log(type: string, subject: string, version: number, members?: ModelEvent["members"]): void {
    this.#events.push({ type, subject, version, ...(members && { members }) });
  }

  #isPresent(id: number): boolean {
    return this.users.get(id)?.state === "present";
  }

  #user({ id, match }: { readonly id: number; readonly match: Match }): ModelUser {
    const user = this.users.get(id);
    if (user?.state !== "present") throw new Refusal(404);
    if (match !== "any" && match !== user.version) throw new Refusal(412);
    return user;
  }

  #group({ id, match }: { readonly id: number; readonly match: Match }): ModelGroup {
    const group = this.groups.get(id);
    if (!group) throw new Refusal(404);
    if (match !== "any" && match !== group.version) throw new Refusal(412);
    return group;
  }

  /** Whether other users have the email, and the user name. */
  #conflicts(record: JsonObject, id: number): { readonly email: boolean; readonly userName: boolean } {
    const others = [...this.users].filter(([other, { state }]) => other !== id && state === "present");
    const has = (keyOf: (record: JsonObject) => string | undefined) => {
      const own = keyOf(record);
      return own !== undefined && others.some(([, other]) => keyOf(other.record) === own);
    };
    return { email: has(emailKey), userName: has(userNameKey) };
  }

  /** The record, or the one without email if another user has it, as email or as user name. Refused with 409. */
  #free(record: JsonObject, id: number, withoutEmail: JsonObject | undefined): JsonObject {
    const { email, userName } = this.#conflicts(record, id);
    const isEmailTaken = email || (userName && record.userName === undefined);
    if (withoutEmail && (isEmailTaken || this.#wasEmailTaken(record, id))) {
      return this.#free(withoutEmail, id, undefined);
    }
    if (email || userName) throw new Refusal(409);
    return record;
  }

  /** Whether another user had the email at some time since the requests were sent, and the change has been tried then. */
  #wasEmailTaken(record: JsonObject, id: number): boolean {
    const keys = [emailKey(record), ...(record.userName === undefined ? [userNameKey(record)] : [])];
    return (
      this.#isRetried &&
      keys.some((key) => [...(this.#owners.get(key ?? "") ?? [])].some((owner) => owner !== id))
    );
  }

  #noteOwners(): void {
    for (const [id, { state, record }] of this.users) {
      if (state !== "present") continue;
      for (const key of [emailKey(record), userNameKey(record)]) {
        if (key !== undefined) this.#owners.set(key, new Set([...(this.#owners.get(key) ?? []), id]));
      }
    }
  }

  #createUser(id: number, record: JsonObject, withoutEmail: JsonObject | undefined): Omit<Effect, "events"> {
    this.users.set(id, {
      state: "present",
      version: 1,
      record: this.#free(record, id, withoutEmail),
      kept: [],
    });
    this.#log("user.created", `user:${id}`, 1);
    return { status: 201 };
  }

  #changeUser(
    target: { readonly id: number; readonly match: Match },
    change: (record: JsonObject) => JsonObject,
    withoutEmail?: JsonObject,
  ): Omit<Effect, "events"> {
    const user = this.#user(target);
    const wanted = change(user.record);
    if (isDeepStrictEqual(wanted, user.record)) return { status: 200 };
    const record = dropMainEntry(user.record, this.#free(wanted, target.id, withoutEmail));
    if (isDeepStrictEqual(record, user.record)) return { status: 200 };
    Object.assign(user, { record, version: user.version + 1 });
    this.#log("user.updated", `user:${target.id}`, user.version);
    return { status: 200 };
  }

  /** A change by SCIM: of the document that it shows. */
  #writeDocument(
    target: { readonly id: number; readonly match: Match },
    change: (shown: JsonObject) => { readonly document: JsonObject; readonly storesName: boolean },
  ): Omit<Effect, "events"> {
    const user = this.#user(target);
    const shown = showUser(target.id, user.record);
    const { document, storesName } = change(shown);
    if (!storesName && isDeepStrictEqual(document, shown)) return { status: 200 };
    const { record, withoutEmail } = storeUser(document, user.record, shown);
    return this.#changeUser(target, () => record, withoutEmail);
  }

  /** The memberships of all users end in one version of each group. */
  #deleteMany(ids: readonly number[]): void {
    for (const id of ids) {
      const user = this.users.get(id);
      if (!user) continue;
      const kept = [...this.groups].filter(([, { members }]) => members.has(id)).map(([groupId]) => groupId);
      Object.assign(user, { state: "deleted", kept });
      this.#log("user.deleted", `user:${id}`, user.version);
    }
    for (const groupId of this.groups.keys()) this.#changeMembers(groupId, { remove: ids });
  }

  #restore(id: number, changes: JsonObject): Omit<Effect, "events"> {
    const user = this.users.get(id);
    if (user?.state !== "deleted") throw new Refusal(404);
    const wanted = dropMainEntry(user.record, compact({ ...user.record, ...changes }));
    const record = this.#free(wanted, id, undefined);
    Object.assign(user, { state: "present", record, version: user.version + 1 });
    this.#log("user.restored", `user:${id}`, user.version);
    for (const groupId of user.kept) this.#changeMembers(groupId, { add: [id] });
    return { status: 200 };
  }

  #createGroup(id: number, record: JsonObject, members: readonly number[]): void {
    this.#requireFreeName(record, id);
    this.groups.set(id, { version: 1, record, members: new Set() });
    this.#log("group.created", `group:${id}`, 1);
    this.#changeMembers(id, { add: members });
  }

  #changeGroup(id: number, record: JsonObject): void {
    const group = this.groups.get(id);
    if (!group || isDeepStrictEqual(group.record, record)) return;
    this.#requireFreeName(record, id);
    Object.assign(group, { record, version: group.version + 1 });
    this.#log("group.updated", `group:${id}`, group.version);
  }

  #requireFreeName({ name }: JsonObject, id: number): void {
    const isTaken = [...this.groups].some(
      ([other, { record }]) => other !== id && fold(record.name) === fold(name),
    );
    if (isTaken) throw new Refusal(409);
  }

  /** Deleted users are skipped. */
  #changeMembers(
    id: number,
    { add = [], remove = [] }: { readonly add?: readonly number[]; readonly remove?: readonly number[] },
  ): void {
    const group = this.groups.get(id);
    if (!group) return;
    const isNew = (userId: number) => this.#isPresent(userId) && !group.members.has(userId);
    const added = sorted(add.filter(isNew));
    const removed = sorted(remove.filter((userId) => group.members.has(userId)));
    if (added.length + removed.length === 0) return;
    for (const userId of added) group.members.add(userId);
    for (const userId of removed) group.members.delete(userId);
    group.version += 1;
    this.#log("group.members_changed", `group:${id}`, group.version, { added, removed });
  }
}

function statusOf(call: () => { readonly status: number }): number {
  try {
    return call().status;
  } catch (error) {
    if (error instanceof Refusal) return error.status;
    throw error;
  }
}

function sortById<Row extends { readonly id: number }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => a.id - b.id);
}

function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function without(ids: Iterable<number>, others: readonly number[]): number[] {
  return [...ids].filter((id) => !others.includes(id));
}

function fold(text: Json | undefined): string | undefined {
  return typeof text === "string" ? text.toLowerCase() : undefined;
}

function emailKey({ email }: JsonObject): string | undefined {
  return email === undefined ? undefined : `email ${fold(email)}`;
}

function userNameKey({ userName, email }: JsonObject): string | undefined {
  const userNameOrEmail = fold(userName ?? email);
  return userNameOrEmail === undefined ? undefined : `user name ${userNameOrEmail}`;
}

function groupRecord(kept: JsonObject, { displayName, externalId, level }: ScimGroupBody): JsonObject {
  return { ...kept, ...compact({ name: displayName, externalId, level }) };
}
