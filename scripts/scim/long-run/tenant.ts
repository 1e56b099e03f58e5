import { Organization, type Person, type Team } from "../../../test/api/scim/clients/support/organization.ts";
import type { Random } from "../../../test/support/fuzz/random.ts";

/** A request whose answer was lost may still be on its way. Nobody changes the same thing so soon. */
const REST_MS = 2000;

/** The users and groups of an organization, as the directory must have them, and which of them are being changed. */
export class Tenant {
  /** What the directory has acknowledged. */
  readonly organization = new Organization("entra-");
  readonly #random: Random;
  /** Until when nobody else may change a user, or a group itself. */
  readonly #held = new Map<string, number>();
  /** How many change the members of a group. */
  readonly #shared = new Map<string, number>();
  #created = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get users(): ReadonlyMap<number, Person> {
    return this.organization.users;
  }

  get groups(): ReadonlyMap<number, Team> {
    return this.organization.groups;
  }

  newKey(): number {
    return ++this.#created;
  }

  newPerson(key: number): Person {
    const random = this.#random;
    return {
      ...this.#newLogin(key),
      givenName: random.pick(["Ada", "Grace", "Søren", "Zoë"]),
      familyName: random.pick(["Lovelace", "Hopper", "O'Neil", "Ångström"]),
      title: this.#newValue(),
      department: this.#newValue(),
      mobile: random.pick(["", "+47 1", "+47 2"]),
      active: true,
    };
  }

  /** The person with some other attributes. */
  changePerson(key: number, person: Person): Person {
    const random = this.#random;
    const changes: readonly [Partial<Person>, ...Partial<Person>[]] = [
      { title: this.#newValue() },
      { department: this.#newValue() },
      { mobile: random.pick(["", "+47 3", "+47 4"]) },
      { familyName: random.pick(["Lovelace", "Hopper", "King", "🦊 Fox"]) },
      { ...this.newPerson(key), active: person.active, userName: person.userName },
      this.#newLogin(key),
    ];
    return { ...person, ...random.pick(changes) };
  }

  newGroupName(key: number): string {
    return `entra-${key}-${this.#random.pick(["Sales", "Engines", "Ærø"])}-${this.#random.below(1000)}`;
  }

  /** Users that nobody changes. */
  freeUsers(suits: (person: Person) => boolean = () => true): number[] {
    return [...this.users].flatMap(([key, person]) =>
      suits(person) && this.#isFree(`user ${key}`) ? key : [],
    );
  }

  /** Groups that nobody changes, or of which others change the members only. */
  freeGroups({ mayShare }: { readonly mayShare: boolean }): number[] {
    return [...this.groups.keys()].filter((key) => this.#mayTake(`group ${key}`, mayShare));
  }

  /** The groups of a user. */
  groupsOf(user: number): number[] {
    return [...this.groups].flatMap(([key, { members }]) => (members.has(user) ? key : []));
  }

  /** Undefined if someone else changes one of them. `shared` are groups whose members change. */
  hold(subjects: readonly string[], shared: readonly string[] = []): Hold | undefined {
    const isFree =
      subjects.every((subject) => this.#mayTake(subject, false)) &&
      shared.every((subject) => this.#mayTake(subject, true));
    if (!isFree) return undefined;
    for (const subject of subjects) this.#held.set(subject, Number.POSITIVE_INFINITY);
    for (const subject of shared) this.#shared.set(subject, (this.#shared.get(subject) ?? 0) + 1);
    return {
      release: ({ rests }) => {
        const until = rests ? performance.now() + REST_MS : 0;
        for (const subject of subjects) this.#held.set(subject, until);
        for (const subject of shared) this.#shared.set(subject, (this.#shared.get(subject) ?? 0) - 1);
      },
    };
  }

  #mayTake(subject: string, mayShare: boolean): boolean {
    return this.#isFree(subject) && (mayShare || (this.#shared.get(subject) ?? 0) === 0);
  }

  #isFree(subject: string): boolean {
    return (this.#held.get(subject) ?? 0) <= performance.now();
  }

  #newLogin(key: number): Pick<Person, "userName" | "externalId"> {
    return {
      userName: `entra-${key}-${this.#random.below(100)}@tenant.example`,
      externalId: `entra-${key}`,
    };
  }

  #newValue(): string {
    return this.#random.pick(["", "Analyst", "Engineer", "CTO 😀", `Level ${this.#random.below(1000)}`]);
  }
}

/** The right to change some users and groups. */
export interface Hold {
  release(options: { readonly rests: boolean }): void;
}
