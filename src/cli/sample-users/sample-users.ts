import type { UserRecord } from "../../contract/users/user.ts";
import { type Names, parseNames, type Word } from "./culture.ts";
import { latinNames } from "./latin-names.ts";
import { nonLatinNames } from "./non-latin-names.ts";
import { randomPhone } from "./phones.ts";
import { Random } from "./random.ts";

const PERCENT_WITHOUT_EMAIL = 8;

/** Domains reserved for examples (RFC 2606), which receive no mail. */
const domains = [
  "example.com",
  "example.org",
  "example.net",
  "mail.example",
  "north.example",
  "harbour.example",
  "studio.example",
  "campus.example",
] as const;

const departments = [
  "Engineering",
  "Research",
  "Design",
  "Sales",
  "Support",
  "Finance",
  "Legal",
  "Logistics",
  "Kitchen",
  "People & Culture",
  "R&D",
  "Marketing, Europe",
] as const;

/** Repeated values are more frequent. */
const plans = ["free", "free", "free", "free", "team", "team", "business", "enterprise"] as const;
const tags = ["vip", "beta", "newsletter", "mentor", "on-leave", "night-shift", "founder", "réseau"] as const;

const FIRST_DAY = Date.UTC(2008, 0, 1);
const DAYS = 6574;
const DAY_MS = 86_400_000;

/** Fictional users. Each depends only on the seed and its number. */
export class SampleUsers {
  readonly #random = new Random();
  readonly #weightedNames: readonly [Names, ...Names[]];

  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;

    const weighted = [...latinNames, ...nonLatinNames].flatMap((culture) => {
      const names = parseNames(culture);
      return Array.from({ length: culture.weight }, () => names);
    });
    const [first, ...rest] = weighted;
    if (!first) throw new Error("The list of names is empty.");
    this.#weightedNames = [first, ...rest];
  }

  /** A user without an email has a unique `badge` instead. */
  create(number: number): UserRecord {
    const random = this.#random.begin(this.#seed, number);
    const names = random.pick(this.#weightedNames);
    const { country, cities } = random.pick(names.places);
    const { name, address } = pickName(names, random);
    const record: UserRecord = { name };
    if (random.chance(PERCENT_WITHOUT_EMAIL)) record.badge = `${this.#seed}-${number}`;
    else record.email = `${address}.${this.#seed}.${number}@${random.pick(domains)}`;
    record.country = country;
    if (random.chance(70)) record.city = random.pick(cities);
    if (random.chance(80)) record.department = random.pick(departments);
    record.plan = random.pick(plans);
    if (random.chance(50)) record.level = 1 + random.below(9);
    record.active = random.chance(92);
    if (random.chance(60)) record.joinedOn = formatDay(random.below(DAYS));
    const phone = random.chance(40) ? randomPhone(country, random) : undefined;
    if (phone !== undefined) record.phone = phone;
    if (random.chance(25)) {
      record.tags = [...new Set([random.pick(tags), random.pick(tags)])];
    }
    return record;
  }
}

function pickName({ culture, given, families, particles }: Names, random: Random) {
  const sex = random.below(2) === 0 ? 0 : 1;
  const first = pickOneOrTwo(random, given[sex], culture.twoGiven, 15);
  if (!families) return { name: first.text, address: first.ascii };
  let family = pickOneOrTwo(random, families[sex], culture.doubled, 10);
  if (particles && random.chance(20)) {
    const particle = random.pick(particles);
    family = { text: `${particle.text} ${family.text}`, ascii: particle.ascii + family.ascii };
  }
  return { name: joinName(culture.order, first, family), address: localPart(first, family, random) };
}

/** One word, or two different words with the given probability if the culture has double names. */
function pickOneOrTwo(
  random: Random,
  words: readonly [Word, ...Word[]],
  separator: string | undefined,
  percent: number,
): Word {
  const first = random.pick(words);
  if (separator === undefined || !random.chance(percent)) return first;
  const second = random.pick(words);
  if (first === second) return first;
  return { text: `${first.text}${separator}${second.text}`, ascii: `${first.ascii}-${second.ascii}` };
}

function joinName(order: "family first" | "joined" | undefined, given: Word, family: Word): string {
  if (order === "joined") return `${family.text}${given.text}`;
  return order === "family first" ? `${family.text} ${given.text}` : `${given.text} ${family.text}`;
}

/** The local part of the email. */
function localPart(given: Word, family: Word, random: Random): string {
  switch (random.below(5)) {
    case 0:
      return `${given.ascii.charAt(0)}.${family.ascii}`;
    case 1:
      return given.ascii;
    case 2:
      return `${family.ascii}.${given.ascii.charAt(0)}`;
    default:
      return `${given.ascii}.${family.ascii}`;
  }
}

function formatDay(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
}
