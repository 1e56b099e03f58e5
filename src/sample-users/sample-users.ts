import type { UserRecord } from "../contract/users/user.ts";
import { nonEmpty, type PersonName, parseNames, pickName } from "./culture.ts";
import { latinNames } from "./latin-names.ts";
import { nonLatinNames } from "./non-latin-names.ts";
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

/** Phone numbers reserved for fiction; `#` is any digit. Users of other countries have no phone. */
const phoneRanges: Readonly<Record<string, string>> = {
  AU: "+61 491 570 ###",
  CA: "+1 416 555 01##",
  DE: "+49 30 23125 ###",
  FR: "+33 6 39 98 ## ##",
  GB: "+44 7700 900###",
  IE: "+353 20 91# ####",
  US: "+1 312 555 01##",
};

const FIRST_DAY = Date.UTC(2008, 0, 1);
const DAYS = 6574;
const DAY_MS = 86_400_000;

/** Fictional users. Each depends only on the seed and its number. */
export class SampleUsers {
  readonly #random = new Random();
  /** Each culture as often as its weight says. */
  readonly #cultures = nonEmpty(
    [...latinNames, ...nonLatinNames].flatMap((culture) => {
      const names = parseNames(culture);
      return Array.from({ length: culture.weight }, () => names);
    }),
  );
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** A user without an email has a unique `badge` instead. */
  create(number: number): UserRecord {
    const random = this.#random.begin(this.#seed, number);
    const names = random.pick(this.#cultures);
    const { country, cities } = random.pick(names.places);
    const name = pickName(names, random);
    const address = localPart(name, random);
    const record: UserRecord = { name: name.full };
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

/** The local part of the email. */
function localPart({ given, family }: PersonName, random: Random): string {
  if (!family) return given.ascii;
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

function randomPhone(country: string, random: Random): string | undefined {
  return phoneRanges[country]?.replace(/#/g, () => String(random.below(10)));
}
