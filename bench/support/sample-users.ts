/** What the benchmarks put into a user. */
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

/** A department stands here once for each percent of the people in it. */
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
 * Things to look for of which it is known how common they are. Graduates are of level 1 or 2, but for one in 50,000
 * people: two common values that hardly meet.
 */
export const knownValues = {
  commonName: "anders",
  matchesAll: "example",
  rareName: "quackenbush",
  /** Each three characters of it are common (Marco, Karin, Nina), the whole is in no name. */
  rareOfCommonParts: "marina",
  commonDepartment: "Engineering",
  rareDepartment: "Archives",
  graduates: { department: "Graduates", level: 7 },
} as const;

/** The person of this number: always the same one, with an email that no other has. */
export function sampleUser(number: number): SampleUser {
  const random = randomFrom(number);
  const first = random(firstNames);
  const last = number % 9973 === 17 ? "Quackenbush" : random(lastNames);
  const domain = random(domains);
  const rare = number % 20_000 === 7;
  const misplaced = number % 50_000 === 11;
  const department = rare
    ? knownValues.rareDepartment
    : misplaced
      ? knownValues.graduates.department
      : random(departments);
  const level = misplaced
    ? knownValues.graduates.level
    : random(department === knownValues.graduates.department ? [1, 2] : [1, 2, 3, 4, 5, 6, 7, 8]);
  return {
    name: `${first} ${last}`,
    email: `${address(first)}.${address(last)}${number}@${domain}`,
    department,
    level,
  };
}

/** A person like the others whom no database of `person` has yet; the tag tells one run from another. */
export function newSampleUser(number: number, tag: string): SampleUser {
  return { ...sampleUser(number), email: `${tag}.${number}@example.com` };
}

/** Part of a name, as somebody would type it into a search. */
export function randomSearchText(): string {
  const names = Math.random() < 0.5 ? firstNames : lastNames;
  return address(names[Math.floor(Math.random() * names.length)] ?? "");
}

const plain = new Map([...firstNames, ...lastNames, "Quackenbush"].map((name) => [name, plainOf(name)]));

function address(name: string): string {
  return plain.get(name) ?? plainOf(name);
}

function plainOf(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll("ø", "o")
    .replaceAll("ı", "i")
    .replaceAll(/[^a-z]/g, "");
}

/** Picks from lists, always in the same way for the same seed (a multiplicative hash, mixed at each step). */
function randomFrom(seed: number): <T>(list: readonly T[]) => T {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  return (list) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39) ^ (state >>> 16);
    const picked = list[(state >>> 0) % list.length];
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  };
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
