import type { SourceGroup } from "./source.ts";

type GroupKeys = Omit<SourceGroup, "record" | "sourceId">;

/** A group in the graph. */
interface Group {
  /** The numbers of its keys. */
  readonly keys: readonly number[];
  /** Whether it is a part of another group. */
  readonly isPart: boolean;
}

/** The members that the graph cannot resolve, and the groups in groups. */
export interface GraphCounts {
  /** Members that are neither users nor groups of the export. */
  readonly unknown: number;
  /** Members, or groups of users, whose key several have. */
  readonly ambiguous: number;
  /** Groups that are parts or members of other groups. */
  readonly nested: number;
  /** Whether they are parts, and not members. */
  readonly areParts: boolean;
  /** The users that these groups list themselves. */
  readonly nestedMembers: number;
}

/**
 * Which users are in which groups of an export. Users and groups may come in any order, and name each other by keys before they
 * come. A user is the number of its line. Keeps each key once, and a number for each membership.
 */
export class GroupGraph {
  readonly #numbers = new Map<string, number>();
  /** By the number of a key: the line of a user, `~index` of a group, or 0. */
  readonly #owners: number[] = [];
  /** Keys of several users, or of several groups. */
  readonly #ambiguous = new Set<number>();
  /** By the number of a group's key: `~line` of users, and numbers of keys. */
  readonly #members = new Map<number, number[]>();
  readonly #groups: Group[] = [];

  /** `keys` name the user; a user whose first key has come before is the same user again. */
  addUser(line: number, keys: readonly string[], groupKeys: readonly string[]): void {
    const numbers = keys.map((key) => this.#numberOf(key));
    if (numbers[0] === undefined || this.#owners[numbers[0]] === 0) this.#claim(numbers, line);
    for (const key of groupKeys) this.#addMember(this.#numberOf(key), ~line);
  }

  /** Whether a group or a member has this key. */
  knows(key: string): boolean {
    return this.#numbers.has(key);
  }

  /** Returns the index of the group; undefined if its key has come before: its members are then added to the group. */
  addGroup({ key, otherKeys = [], members, parent }: GroupKeys): number | undefined {
    const keys = [key, ...otherKeys].map((text) => this.#numberOf(text));
    const [first = 0] = keys;
    for (const member of members) this.#addMember(first, this.#numberOf(member));
    if (this.#owners[first] !== 0) return undefined;
    const index = this.#groups.length;
    this.#claim(keys, ~index);
    this.#groups.push({ keys, isPart: parent !== undefined });
    if (parent !== undefined) this.#addMember(this.#numberOf(parent), first);
    return index;
  }

  /** Calls `add` with each key of a group that has members and has not come. `add` may add groups. */
  addMissing(add: (key: string) => void): void {
    // The loop also visits the keys that `add` brings.
    for (const [key, number] of this.#numbers) {
      if (this.#owners[number] === 0 && this.#members.has(number)) add(key);
    }
  }

  isPart(index: number): boolean {
    return this.#groups[index]?.isPart ?? false;
  }

  /** The lines of the users in a group; with `nested`, also of those in groups inside of it. */
  membersOf(index: number, { nested }: { readonly nested: boolean }): Set<number> {
    const lines = new Set<number>();
    const visited = new Set([index]);
    for (const group of visited) {
      for (const member of this.#membersAt(group)) {
        const owner = this.#ownerOf(member);
        if (owner > 0) lines.add(owner);
        // The loop goes on with this group, once.
        else if (owner < 0 && nested) visited.add(~owner);
      }
    }
    return lines;
  }

  count(): GraphCounts {
    let [unknown, ambiguous] = [0, 0];
    const nested = new Set<number>();
    for (const key of this.#ambiguous) ambiguous += this.#members.get(key)?.length ?? 0;
    for (const [index, { isPart }] of this.#groups.entries()) {
      if (isPart) nested.add(index);
      for (const member of this.#membersAt(index)) {
        const owner = this.#ownerOf(member);
        if (member >= 0 && this.#ambiguous.has(member)) ambiguous++;
        else if (owner === 0) unknown++;
        else if (owner < 0 && ~owner !== index) nested.add(~owner);
      }
    }
    let nestedMembers = 0;
    for (const index of nested) nestedMembers += this.membersOf(index, { nested: false }).size;
    const areParts = this.#groups.some(({ isPart }) => isPart);
    return { unknown, ambiguous, nested: nested.size, areParts, nestedMembers };
  }

  #membersAt(index: number): number[] {
    const keys = this.#groups[index]?.keys ?? [];
    return keys.flatMap((key) => (this.#ambiguous.has(key) ? [] : (this.#members.get(key) ?? [])));
  }

  /** The line of a user, `~index` of a group, or 0. */
  #ownerOf(member: number): number {
    if (member < 0) return ~member;
    return this.#ambiguous.has(member) ? 0 : (this.#owners[member] ?? 0);
  }

  #claim(keys: readonly number[], owner: number): void {
    for (const key of keys) {
      const other = this.#owners[key];
      if (other !== 0 && other !== owner) this.#ambiguous.add(key);
      else this.#owners[key] = owner;
    }
  }

  #addMember(group: number, member: number): void {
    const members = this.#members.get(group);
    if (members) members.push(member);
    else this.#members.set(group, [member]);
  }

  #numberOf(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#owners.length;
    this.#numbers.set(key, number);
    this.#owners.push(0);
    return number;
  }
}
