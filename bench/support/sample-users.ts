import { nonEmpty, parseNames, pickName } from "../../src/sample-users/culture.ts";
import { Random } from "../../src/sample-users/random.ts";
import type { KnownValues } from "./known-values.ts";

/** The record of a benchmark's user. */
export interface SampleUser {
  readonly name: string;
  readonly email: string;
  readonly department: string;
  readonly level: number;
}

/** Returns the user of a number: always the same, and each number has another email. */
export type UserSource = (number: number) => SampleUser;

/*
 * Benchmarks have names of their own: each is about as frequent as the others, and users are as large as in the recorded figures. The
 * names of src/sample-users are longer, and those of some cultures are rare.
 */

const firstNames = `
  Ada Adam Agnes Ahmed Aisha Alan Alejandro Alice Amara Amina Anders André Anna Antonio Arjun Astrid Aurélie Ayşe
  Beatriz Ben Bianca Björn Camille Carlos Carmen Charlotte Chen Chloé Clara Daniel David Diego Dmitri Elena Elias
  Emeka Emily Emma Erik Eva Fatima Felix Fiona Francesca François Freya Gabriel George Giulia Grace Greta Hana
  Hannah Haruto Helen Hugo Ibrahim Ida Ines Ingrid Isabel Ivan Jack James Jan Jana João Johanna John José Julia
  Kamal Karin Katarzyna Kenji Kofi Lars Laura Layla Leon Liam Lina Linda Lucas Lucía Magnus Malik Marco María Mark
  Marta Mary Mateo Maya Mehmet Mei Michael Miguel Mila Mohamed Nadia Naomi Nikolai Nina Noah Nora Olga Oliver Olivia
  Omar Oscar Paula Pedro Peter Petra Priya Rachel Rafael Raj Ravi Renée Robert Rosa Ruth Samuel Sandra Sara Sebastian
  Selin Siobhán Sofia Stefan Susan Tadeusz Tara Thomas Tomás Uma Valentina Vera Victor Wei William Yara Yuki Yusuf Zoë
`;

const lastNames = `
  Abe Adeyemi Ahmed Ali Almeida Alvarez Andersen Anderson Bauer Becker Berg Bernard Bianchi Björk Brown Bruno Carter
  Castro Chanda Chen Clark Cohen Collins Costa Cruz Dahl Das Davies Diaz Dubois Edwards Eriksson Evans Farouk Fernández
  Ferrari Fischer Fournier Garcia Gomes González Grant Green Gupta Haddad Hall Hansen Harris Hassan Hernández Hoffmann
  Hughes Hussein Ito Ivanova Jackson Jansen Jensen Johansson Johnson Jones Joshi Kaplan Kaur Keller Khan Kim King
  Kobayashi Kowalski Kumar Larsen Laurent Lee Lehmann Lewis Li Lindberg López Lund Maier Marino Martin Martínez Mbeki
  Mendoza Meyer Miller Mitchell Moreau Moreno Morris Müller Murphy Nagy Nakamura Nielsen Novak Nowak Okafor Olsen
  O'Connor Osei Owusu Park Patel Pereira Petrov Popescu Quinn Rahman Ramírez Reyes Ricci Richter Rivera Roberts
  Rodríguez Rossi Roux Saito Sánchez Santos Sato Schmidt Schneider Schwarz Scott Sharma Silva Singh Smith Sokolov
  Sørensen Stewart Suzuki Takahashi Tanaka Taylor Thompson Torres Turner Vargas Vogel Wagner Walker Wang Watanabe Weber
  White Williams Wilson Wong Wright Yamamoto Yılmaz Young Zhang Zhou Zimmermann
`;

/** Contains each department once per percent of its users. */
const departments = nonEmpty(
  Object.entries({
    Engineering: 25,
    Sales: 20,
    Operations: 15,
    Support: 12,
    Graduates: 10,
    Marketing: 8,
    Finance: 6,
    People: 3,
    Legal: 1,
  }).flatMap(([department, percent]) => Array.from({ length: percent }, () => department)),
);

/** Women and men have the same first names, so each first and each last name is equally frequent. */
const names = parseNames({
  weight: 1,
  places: "SE Malmö",
  women: firstNames,
  men: firstNames,
  families: lastNames,
});
const rareFamily = { text: "Quackenbush", ascii: "quackenbush" };
const random = new Random();
const SEED = 1;

const domains = ["example.com", "example.com", "example.com", "example.org", "example.net"] as const;

const RARE_DEPARTMENT = "Archives";
/** Graduates have level 1 or 2, except one user in 50,000: two common values that rarely occur together. */
const GRADUATES = { department: "Graduates", levels: 2, exceptionalLevel: 7 } as const;

export const knownValues: KnownValues = {
  commonName: "anders",
  matchesAll: "example",
  rareName: rareFamily.ascii,
  // Marco, Karin, Nina.
  rareOfCommonParts: "marina",
  wordsOfNobody: ["anderson", "garcia"],
  threeCharacters: "son",
  mailbox: "anna.anderson",
  common: { field: "department", value: "Engineering", start: "Eng" },
  others: ["Sales", "Legal"],
  either: { field: "department", values: ["Legal", "People"] },
  rare: { field: "department", value: RARE_DEPARTMENT },
  hardlyOverlapping: [
    { field: "department", value: GRADUATES.department },
    { field: "level", value: GRADUATES.exceptionalLevel },
  ],
};

/** The sample user of this number: always the same, with a unique email. */
export function sampleUser(number: number): SampleUser {
  random.begin(SEED, number);
  const { given, family: usual } = pickName(names, random);
  const family = !usual || number % 9973 === 17 ? rareFamily : usual;
  const domain = random.pick(domains);
  const rare = number % 20_000 === 7;
  const exceptional = number % 50_000 === 11;
  const department = rare ? RARE_DEPARTMENT : exceptional ? GRADUATES.department : random.pick(departments);
  const level = exceptional
    ? GRADUATES.exceptionalLevel
    : 1 + random.below(department === GRADUATES.department ? GRADUATES.levels : 8);
  return {
    name: `${given.text} ${family.text}`,
    email: `${given.ascii}.${family.ascii}${number}@${domain}`,
    department,
    level,
  };
}

/** A sample user with an email that no seeded database contains. The tag is unique to a run. */
export function newSampleUser(number: number, tag: string): SampleUser {
  return { ...sampleUser(number), email: `${tag}.${number}@example.com` };
}

/**
 * Names without accents, in lower case, that are part of no other name and of no department: one user in 130 to 180
 * has each of them.
 */
export function listSearchedNames(): string[] {
  const all = [names.given[0], names.families?.[0] ?? []].flat().map(({ ascii }) => ascii);
  const texts = [...all, ...departments.map((department) => department.toLowerCase())];
  return all.filter((name) => texts.filter((text) => text.includes(name)).length === 1);
}

/** A random first or last name without accents, in lower case. */
export function randomSearchText(): string {
  const [words] = (Math.random() < 0.5 ? names.families : undefined) ?? names.given;
  return words[Math.floor(Math.random() * words.length)]?.ascii ?? "";
}
