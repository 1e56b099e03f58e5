import { createHash } from "node:crypto";

/** The parts of a database, like `table users` and `index users_by_name`, each with a digest of its definition. */
export type Parts = Readonly<Record<string, string>>;

/** The parts after each migration, by its name, and of databases from before. `scripts/record-parts.ts` writes them. */
export type KnownParts = Readonly<Record<string, Parts>>;

const DIGEST_LENGTH = 12;

/** `definitions` are pairs of a part and the text that defines it. Comments and white space do not count. */
export function toParts(definitions: Iterable<readonly [part: string, text: string]>): Parts {
  const digests = [...definitions].map(([part, text]) => [part, digestOf(text)] as const);
  return Object.fromEntries(digests.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function digestOf(definition: string): string {
  const text = definition
    .replace(/--.*$/gm, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1")
    .trim();
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_LENGTH);
}

/** What is missing or different, like "the index users_by_name is missing". */
export function compareParts(expected: Parts, actual: Parts): string[] {
  return Object.entries(expected)
    .filter(([part, digest]) => actual[part] !== digest)
    .map(([part]) => `the ${part} ${actual[part] === undefined ? "is missing" : "is different"}`);
}

/** As `compareParts`, and also what there is more. Administrators may have added indexes. */
export function findDifferences(expected: Parts, actual: Parts): string[] {
  const more = Object.keys(actual).filter((part) => !part.startsWith("index ") && !(part in expected));
  return [...compareParts(expected, actual), ...more.map((part) => `the ${part} is unknown`)];
}
