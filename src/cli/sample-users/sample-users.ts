import type { UserRecord } from "../../contract/user.ts";
import { type Names, parseNames, type Word } from "./culture.ts";
import { latinNames } from "./latin-names.ts";
import { otherScriptNames } from "./other-script-names.ts";
import { randomPhone } from "./phones.ts";
import { Random } from "./random.ts";

/** So many in a hundred have no email. */
const WITHOUT_EMAIL = 8;

/** Domains that are kept for examples (RFC 2606): no mail will ever reach anybody. */
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

/** As often as they stand here. */
const plans = ["free", "free", "free", "free", "team", "team", "business", "enterprise"] as const;
const tags = ["vip", "beta", "newsletter", "mentor", "on-leave", "night-shift", "founder", "réseau"] as const;

const FIRST_DAY = Date.UTC(2008, 0, 1);
const DAYS = 6574;
const DAY_MS = 86_400_000;

/** People who could be: the same ones for the same seed, each made from its number alone. */
export class SampleUsers {
  readonly #random = new Random();
  readonly #lots: readonly [Names, ...Names[]];

  constructor(readonly seed: number) {
    const lots = [...latinNames, ...otherScriptNames].flatMap((culture) => {
      const names = parseNames(culture);
      return Array.from({ length: culture.weight }, () => names);
    });
    const [first, ...rest] = lots;
    if (!first) throw new Error("There are no names.");
    this.#lots = [first, ...rest];
  }

  /** The number tells everybody without an email apart, as the email does everybody else: by `badge`. */
  create(number: number): UserRecord {
    const random = this.#random.begin(this.seed, number);
    const names = random.pick(this.#lots);
    const { country, cities } = random.pick(names.places);
    const { name, address } = nameOf(names, random);
    const record: UserRecord = { name };
    if (random.chance(WITHOUT_EMAIL)) record.badge = `${this.seed}-${number}`;
    else record.email = `${address}.${this.seed}.${number}@${random.pick(domains)}`;
    record.country = country;
    if (random.chance(70)) record.city = random.pick(cities);
    if (random.chance(80)) record.department = random.pick(departments);
    record.plan = random.pick(plans);
    if (random.chance(50)) record.level = 1 + random.below(9);
    record.active = random.chance(92);
    if (random.chance(60)) record.joinedOn = dayOf(random.below(DAYS));
    const phone = random.chance(40) ? randomPhone(country, random) : undefined;
    if (phone !== undefined) record.phone = phone;
    if (random.chance(25)) {
      const [one, other] = [random.pick(tags), random.pick(tags)];
      record.tags = one === other ? [one] : [one, other];
    }
    return record;
  }
}

function nameOf({ culture, given, families, particles }: Names, random: Random) {
  const sex = random.below(2) === 0 ? 0 : 1;
  const first = twice(random, given[sex], culture.twoGiven, 15);
  if (!families) return { name: first.text, address: first.ascii };
  let family = twice(random, families[sex], culture.doubled, 10);
  if (particles && random.chance(20)) {
    const particle = random.pick(particles);
    family = { text: `${particle.text} ${family.text}`, ascii: particle.ascii + family.ascii };
  }
  return { name: inOrder(culture.order, first, family), address: addressOf(first, family, random) };
}

/** One of the words, or sometimes two different ones where that is usual. */
function twice(
  random: Random,
  words: readonly [Word, ...Word[]],
  between: string | undefined,
  percent: number,
): Word {
  const one = random.pick(words);
  if (between === undefined || !random.chance(percent)) return one;
  const other = random.pick(words);
  if (one === other) return one;
  return { text: `${one.text}${between}${other.text}`, ascii: `${one.ascii}-${other.ascii}` };
}

function inOrder(order: "family first" | "joined" | undefined, given: Word, family: Word): string {
  if (order === "joined") return `${family.text}${given.text}`;
  return order === "family first" ? `${family.text} ${given.text}` : `${given.text} ${family.text}`;
}

/** As people choose their addresses. */
function addressOf(given: Word, family: Word, random: Random): string {
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

function dayOf(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
}
