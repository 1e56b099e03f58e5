export interface Person {
  readonly userName: string;
  readonly externalId: string;
  readonly givenName: string;
  readonly familyName: string;
  /** Empty texts are attributes without a value. */
  readonly title: string;
  readonly department: string;
  readonly mobile: string;
  readonly active: boolean;
}

export interface Team {
  readonly displayName: string;
  /** The keys of people. */
  readonly members: ReadonlySet<number>;
}

/** What happens in an organization. People and teams have keys, which are numbers. */
export type Change =
  | ({ readonly kind: "write-user"; readonly user: number; readonly login: number } & Omit<
      Person,
      "userName" | "externalId"
    >)
  | { readonly kind: "remove-user"; readonly user: number }
  | {
      readonly kind: "write-group";
      readonly group: number;
      readonly name: number;
      readonly members: readonly number[];
    }
  | { readonly kind: "remove-group"; readonly group: number };

/** The users and groups of an identity provider, in memory, with the ids that the directory has given them. */
export class Organization {
  readonly users = new Map<number, Person>();
  readonly groups = new Map<number, Team>();
  readonly #ids = new Map<string, string>();

  /** All user names and all names of groups begin with `prefix`. */
  constructor(readonly prefix: string) {}

  /** `removal` says what the client that synchronizes the change does with users that leave. */
  apply(change: Change, removal: "delete" | "deactivate"): void {
    if (change.kind === "write-user") {
      const { kind: _kind, user, login, ...attributes } = change;
      const userName = `${this.prefix}${user}-${login}@sync.example`;
      this.users.set(user, { ...attributes, userName, externalId: `${this.prefix}${user}` });
    } else if (change.kind === "remove-user") {
      this.#removeUser(change.user, removal);
    } else if (change.kind === "write-group") {
      const { group, name, members } = change;
      const present = new Set(members.filter((member) => this.users.has(member)));
      this.groups.set(group, { displayName: `${this.prefix}${group}-${name}`, members: present });
    } else {
      this.groups.delete(change.group);
    }
  }

  /** The entry that a change is about, such as `user 3`. */
  subjectOf(change: Change): string {
    return "user" in change ? `user ${change.user}` : `group ${change.group}`;
  }

  user(subject: string): Person | undefined {
    return this.users.get(keyOf(subject));
  }

  group(subject: string): Team | undefined {
    return this.groups.get(keyOf(subject));
  }

  get userNames(): string[] {
    return [...this.users.values()].map(({ userName }) => userName);
  }

  get groupNames(): string[] {
    return [...this.groups.values()].map(({ displayName }) => displayName);
  }

  findId(subject: string): string | undefined {
    return this.#ids.get(subject);
  }

  idOf(subject: string): string {
    const id = this.#ids.get(subject);
    if (id === undefined) throw new Error(`${subject} has not reached the directory.`);
    return id;
  }

  /** Remembers the id in the directory, or forgets it. */
  link(subject: string, id: string | undefined): void {
    if (id === undefined) this.#ids.delete(subject);
    else this.#ids.set(subject, id);
  }

  /** The ids of the members in the directory. */
  memberIds({ members }: Team): string[] {
    return [...members].map((member) => this.idOf(`user ${member}`));
  }

  /** What SCIM shows of a user. */
  shownUser(person: Person): object {
    const { givenName, familyName, title, department, mobile, userName, externalId, active } = person;
    return {
      userName,
      externalId,
      active,
      displayName: `${givenName} ${familyName}`,
      name: { givenName, familyName },
      emails: [{ value: userName, type: "work", primary: true }],
      ...(title !== "" && { title }),
      ...(mobile !== "" && { phoneNumbers: [{ type: "mobile", value: mobile }] }),
      ...(department !== "" && {
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department },
      }),
    };
  }

  #removeUser(key: number, removal: "delete" | "deactivate"): void {
    const person = this.users.get(key);
    if (!person) return;
    if (removal === "deactivate") {
      this.users.set(key, { ...person, active: false });
      return;
    }
    this.users.delete(key);
    for (const [group, team] of this.groups) {
      const members = new Set([...team.members].filter((member) => member !== key));
      this.groups.set(group, { ...team, members });
    }
  }
}

const keyOf = (subject: string) => Number(subject.split(" ")[1]);
