/** The record of a benchmark's user. */
export interface SampleUser {
  readonly name: string;
  readonly email: string;
  readonly department: string;
  readonly level: number;
}

const firstNames = words(`
  Ada Adam Agnes Ahmed Aisha Alan Alejandro Alice Amara Amina Anders André Anna Antonio Arjun Astrid Aurélie Ayşe
  Beatriz Ben Bianca Björn Camille Carlos Carmen Charlotte Chen Chloé Clara Daniel David Diego Dmitri Elena Elias
  Emeka Emily Emma Erik Eva Fatima Felix Fiona Francesca François Freya Gabriel George Giulia Grace Greta Hana
  Hannah Haruto Helen Hugo Ibrahim Ida Ines Ingrid Isabel Ivan Jack James Jan Jana João Johanna John José Julia
  Kamal Karin Katarzyna Kenji Kofi Lars Laura Layla Leon Liam Lina Linda Lucas Lucía Magnus Malik Marco María Mark
  Marta Mary Mateo Maya Mehmet Mei Michael Miguel Mila Mohamed Nadia Naomi Nikolai Nina Noah Nora Olga Oliver Olivia
  Omar Oscar Paula Pedro Peter Petra Priya Rachel Rafael Raj Ravi Renée Robert Rosa Ruth Samuel Sandra Sara Sebastian
  Selin Siobhán Sofia Stefan Susan Tadeusz Tara Thomas Tomás Uma Valentina Vera Victor Wei William Yara Yuki Yusuf Zoë
`);

const lastNames = words(`
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
`);

/** Contains each department once per percent of its users. */
const departments = Object.entries({
  Engineering: 25,
  Sales: 20,
  Operations: 15,
  Support: 12,
  Graduates: 10,
  Marketing: 8,
  Finance: 6,
  People: 3,
  Legal: 1,
}).flatMap(([department, percent]) => Array.from({ length: percent }, () => department));

const domains = ["example.com", "example.com", "example.com", "example.org", "example.net"];

/**
 * Values of known frequency to search and filter by. Graduates have level 1 or 2, except one user in 50,000: two common
 * values that rarely occur together.
 */
export const knownValues = {
  commonName: "anders",
  matchesAll: "example",
  rareName: "quackenbush",
  /** Its trigrams are common (Marco, Karin, Nina), but no name contains it. */
  rareOfCommonParts: "marina",
  commonDepartment: "Engineering",
  rareDepartment: "Archives",
  graduates: { department: "Graduates", level: 7 },
} as const;

/** The sample user of this number: always the same, with a unique email. */
export function sampleUser(number: number): SampleUser {
  const random = randomFrom(number);
  const first = random(firstNames);
  const last = number % 9973 === 17 ? "Quackenbush" : random(lastNames);
  const domain = random(domains);
  const rare = number % 20_000 === 7;
  const exceptional = number % 50_000 === 11;
  const department = rare
    ? knownValues.rareDepartment
    : exceptional
      ? knownValues.graduates.department
      : random(departments);
  const level = exceptional
    ? knownValues.graduates.level
    : random(department === knownValues.graduates.department ? [1, 2] : [1, 2, 3, 4, 5, 6, 7, 8]);
  return {
    name: `${first} ${last}`,
    email: `${emailPart(first)}.${emailPart(last)}${number}@${domain}`,
    department,
    level,
  };
}

/** A sample user with an email that no seeded database contains. The tag is unique to a run. */
export function newSampleUser(number: number, tag: string): SampleUser {
  return { ...sampleUser(number), email: `${tag}.${number}@example.com` };
}

/** A random first or last name without accents, in lower case. */
export function randomSearchText(): string {
  const names = Math.random() < 0.5 ? firstNames : lastNames;
  return emailPart(names[Math.floor(Math.random() * names.length)] ?? "");
}

const emailParts = new Map([...firstNames, ...lastNames, "Quackenbush"].map((name) => [name, toAscii(name)]));

function emailPart(name: string): string {
  return emailParts.get(name) ?? toAscii(name);
}

function toAscii(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll("ø", "o")
    .replaceAll("ı", "i")
    .replaceAll(/[^a-z]/g, "");
}

/** Picks from lists: the same seed gives the same picks (a multiplicative hash, mixed at each step). */
function randomFrom(seed: number): <T>(list: readonly T[]) => T {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  return (list) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39) ^ (state >>> 16);
    const picked = list[(state >>> 0) % list.length];
    if (picked === undefined) throw new Error("Cannot pick from an empty list.");
    return picked;
  };
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
