/** Random filters: by the grammar of RFC 7644 (section 3.4.2.2), with more freedom than the grammar, and damaged. */
import type { Random } from "../../../test/support/fuzz/random.ts";

/** The examples of RFC 7644 (figure 2), and filters that identity providers send. */
export const examples: readonly string[] = [
  'userName eq "bjensen"',
  `name.familyName co "O'Malley"`,
  'userName sw "J"',
  'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"',
  "title pr",
  'meta.lastModified gt "2011-05-13T04:42:34Z"',
  'meta.lastModified ge "2011-05-13T04:42:34Z"',
  'meta.lastModified lt "2011-05-13T04:42:34Z"',
  'meta.lastModified le "2011-05-13T04:42:34Z"',
  'title pr and userType eq "Employee"',
  'title pr or userType eq "Intern"',
  'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
  'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
  'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")',
  'userType eq "Employee" and (emails.type eq "work")',
  'userType eq "Employee" and emails[type eq "work" and value co "@example.com"]',
  'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
  'externalId eq "4d32ab19-ae09-4236-82fa-15768bc48a08"',
  'emails[type eq "work"].value eq "ada@example.com"',
  'emails[type eq "Primary"].value eq "001750ca-8202-47cd-b553-c63f4f245940"',
  'members[value eq "6784"] eq ""',
  'id eq "42" and members eq "7"',
  'displayName eq "Sales & \\"More\\""',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager eq "7"',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value eq "7"',
];

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const urns = [
  USER,
  USER.toUpperCase(),
  "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  "urn:ietf:params:scim:schemas:extension:roster:2.0:User",
  "urn:ietf:params:scim:schemas:core:2.0:Group",
  "urn:example:of.others:2.0:User",
] as const;

const names = [
  "userName",
  "displayName",
  "name",
  "emails",
  "active",
  "title",
  "externalId",
  "id",
  "meta",
  "schemas",
  "manager",
  "employeeNumber",
  "addresses",
  "phoneNumbers",
  "groups",
  "members",
  "unknown",
  "Under_score-5",
  "$ref",
  "nullable",
  "trueName",
  "android",
  "pr",
  "not",
] as const;

const subNames = [
  "value",
  "type",
  "primary",
  "display",
  "familyName",
  "created",
  "lastModified",
  "resourceType",
  "location",
  "version",
  "postalCode",
  "$ref",
  "unknown",
] as const;

const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;

const texts = [
  "",
  "work",
  "True",
  "2011-05-13T04:42:34Z",
  'W/\\"1\\"',
  "g7",
  "42",
  "roster-42",
  "ada@example.com",
  "a\\u00e9\\n\\\\",
  "(x) [y] and z",
  "Zoë 李 😀",
  "not an escape: \\q",
  "line\nbreak",
] as const;

const numbers = [
  "0",
  "7",
  "42",
  "-1",
  "2.5",
  "1e3",
  "1E-2",
  "01",
  "+1",
  "1e999",
  "9007199254740993",
] as const;

const mostLevels = 5;

export function randomFilter(random: Random): string {
  const kind = random.weighted({ grammar: 6, free: 3, damaged: 3, example: 1, large: 0.2 });
  if (kind === "example") return damage(random, pick(random, examples));
  if (kind === "large") return largeFilter(random);
  const text = expression(random, { level: 0, isFree: kind !== "grammar" });
  return kind === "damaged" ? damage(random, text) : text;
}

interface Style {
  readonly level: number;
  /** Whether the filter may have forms that the grammar does not have, but that parsers accept. */
  readonly isFree: boolean;
}

/** `FILTER` of the grammar. */
function expression(random: Random, style: Style): string {
  const inner: Style = { ...style, level: style.level + 1 };
  const kind = style.level >= mostLevels ? "test" : random.weighted({ test: 6, logic: 4, not: 1, group: 1 });
  if (kind === "test") return test(random, style);
  if (kind === "group") return `(${pad(random, style)}${expression(random, inner)}${pad(random, style)})`;
  if (kind === "not")
    return `${anyCase(random, "not")}${notSpace(random, style)}(${expression(random, inner)})`;
  const operator = anyCase(random, random.pick(["and", "or"]));
  return `${expression(random, inner)}${space(random, style)}${operator}${space(random, style)}${expression(random, inner)}`;
}

function test(random: Random, style: Style): string {
  const path = attributePath(random);
  const kind = random.weighted({ comparison: 6, present: 2, values: 3 });
  if (kind === "comparison") return `${path} ${comparison(random, style)}`;
  if (kind === "present") return `${path}${space(random, style)}${anyCase(random, "pr")}`;
  const gap = style.isFree && random.chance(0.05) ? " " : "";
  const values = `${path}${gap}[${expression(random, { ...style, level: Math.max(style.level, mostLevels - 1) })}]`;
  if (random.chance(0.4)) return values;
  const part = random.chance(0.7) || !style.isFree ? `.${pick(random, subNames)}` : "";
  return `${values}${part} ${random.chance(0.3) ? "pr" : comparison(random, style)}`;
}

function comparison(random: Random, style: Style): string {
  return `${anyCase(random, random.pick(operators))}${space(random, style)}${value(random, style)}`;
}

/** `attrPath` of the grammar. */
function attributePath(random: Random): string {
  const prefix = random.chance(0.2) ? `${random.pick(urns)}:` : "";
  const name = random.chance(0.2) ? anyCase(random, random.pick(names)) : random.pick(names);
  return `${prefix}${name}${random.chance(0.35) ? `.${random.pick(subNames)}` : ""}`;
}

function value(random: Random, { isFree }: Style): string {
  const kind = random.weighted({ text: 6, number: 2, word: 3, bare: isFree ? 1 : 0 });
  if (kind === "text") return `"${random.pick(texts)}"`;
  if (kind === "number") return random.pick(numbers);
  if (kind === "word") return random.pick(["true", "false", "null"]);
  return random.pick(["jyoung", "example.com", "TRUE", "2015-10-10T14:38:21.8617979-07:00", "a:b"]);
}

/** More comparisons, levels or characters than a filter may have, or as many. */
function largeFilter(random: Random): string {
  const count = random.pick([49, 50, 51, 60]);
  const levels = random.pick([7, 8, 9, 12]);
  const characters = random.pick([4000, 4096, 4097, 5000]);
  return random.pick([
    Array.from({ length: count }, (_, number) => `title eq "${number}"`).join(" or "),
    `${"(".repeat(levels)}title pr${")".repeat(levels)}`,
    `${'title eq "'.padEnd(characters - 1, "x")}"`,
  ]);
}

const space = (random: Random, { isFree }: Style): string =>
  isFree ? random.pick([" ", " ", " ", "  ", "\t", ""]) : " ";
const pad = (random: Random, { isFree }: Style): string => (isFree ? random.pick(["", " "]) : "");
/** The grammar has no space after `not`, but all examples have one. */
const notSpace = (random: Random, { isFree }: Style): string =>
  isFree ? random.pick(["", " ", "  "]) : random.pick(["", " "]);

function anyCase(random: Random, word: string): string {
  if (random.chance(0.7)) return word;
  return [...word].map((letter) => (random.chance(0.5) ? letter.toUpperCase() : letter)).join("");
}

const fragments = [
  " ",
  '"',
  "(",
  ")",
  "[",
  "]",
  ".",
  ":",
  " and ",
  " or ",
  "not ",
  "not(",
  " pr",
  " eq ",
  "1",
  "a",
  "\\",
  "\t",
  "\n",
  ",",
  "ü",
  "$",
] as const;

/** One to three small changes. */
function damage(random: Random, text: string): string {
  const characters = [...text];
  for (let count = random.between(1, 3); count > 0; count--) {
    const added = random.chance(0.6) ? [random.pick(fragments)] : [];
    characters.splice(random.below(characters.length + 1), random.between(0, 3), ...added);
  }
  return characters.join("");
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error("There is nothing to pick from.");
  return random.pick([first, ...rest]);
}
