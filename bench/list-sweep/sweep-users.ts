import { type SampleUser, sampleUser } from "../support/sample-users.ts";

/** A sample user with two values of known frequency: in custom fields, and as words in the email. */
interface SweepUser extends SampleUser {
  /** Spread evenly over all users: one in 2 has the first company, one in 4 the second, one in 8 the third. */
  readonly company?: string;
  /** The users of a campus have consecutive ids: one in 4 has the first campus, one in 8 the second. */
  readonly campus?: string;
}

/*
 * All names have eight letters, so that searches for them have equally many trigrams. No two of them share a trigram, and at most
 * one user in 40 has one of their trigrams in another word.
 */

const companies = [
  ...[
    "Zephyrix",
    "Quixotic",
    "Fluxwave",
    "Bytehive",
    "Hydrotek",
    "Pixelfab",
    "Cobaltly",
    "Vortexis",
    "Jubilant",
  ],
  ...["Kryptone", "Orbitals", "Tundrafy", "Mangrove", "Zucchini", "Dewpoint", "Skylight", "Plumdesk"],
];

const campuses = [
  ...["Oakridge", "Whitdock", "Dunwitch", "Elmsgate", "Halfmoon", "Ivybrook", "Kingsway", "Claypool"],
  ...["Bexhills", "Rushcomb", "Stubwell", "Thumbury", "Yewhurst", "Cragfoot", "Upavonby", "Fjordbay"],
];

/** A value, and how many users there are for each that has it. */
export interface SweptValue {
  readonly value: string;
  readonly oneIn: number;
}

/** Users with values from one in 2 users to one of all users. */
export class SweepUsers {
  readonly companies: readonly SweptValue[];
  readonly campuses: readonly SweptValue[];
  readonly #users: number;
  readonly #bits: number;

  /** `users` is a power of 2: then the number of users with each value is exact. */
  constructor(users: number) {
    this.#users = users;
    this.#bits = Math.log2(users);
    if (!Number.isInteger(this.#bits) || this.#bits > companies.length)
      throw new RangeError(`--users must be a power of 2, at most ${2 ** companies.length}.`);
    const sweep = (values: readonly string[], first: number) =>
      values
        .map((value, index) => ({ value, oneIn: first * 2 ** index }))
        .filter(({ oneIn }) => oneIn <= users);
    this.companies = sweep(companies, 2);
    this.campuses = sweep(campuses, 4);
  }

  user(number: number): SweepUser {
    const sample = sampleUser(number);
    const company = companies[this.#companyOf(number)];
    const campus = campuses[this.#campusOf(number)];
    const [mailbox = ""] = sample.email.split("@");
    const domain = [company, campus, "example.com"].filter((part) => part !== undefined);
    return {
      ...sample,
      email: `${mailbox}@${domain.join(".").toLowerCase()}`,
      ...(company !== undefined && { company }),
      ...(campus !== undefined && { campus }),
    };
  }

  /** The number of zeros at the end of a number that the user alone has. */
  #companyOf(number: number): number {
    const rank = this.#shuffle(number - 1);
    return 31 - Math.clz32(rank & -rank);
  }

  /** Users of the first and of the last quarter have none. In between, half of the users left have the next campus. */
  #campusOf(number: number): number {
    const quarter = this.#users / 4;
    const left = 3 * quarter - number;
    return left <= 0 || left >= 2 * quarter ? -1 : this.#bits - 2 - Math.floor(Math.log2(left));
  }

  /** Another number below that of all users for each number, in no order: each step can be reversed. */
  #shuffle(number: number): number {
    let mixed = number;
    for (const factor of [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35]) {
      mixed = Math.imul(mixed, factor) & (this.#users - 1);
      mixed ^= mixed >>> (this.#bits >> 1);
    }
    return mixed;
  }
}
