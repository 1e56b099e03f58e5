import { PATH_NAME_PATTERN } from "../contract/listing.ts";

/** The names from a user to a field, or to a value inside a custom field. At least one. */
export type FieldPath = readonly string[];

const NAME = new RegExp(PATH_NAME_PATTERN, "y");

/** Parses paths such as `address.city` that are separated by commas. Undefined if one of them is not a path. */
export function parseFieldPaths(text: string): FieldPath[] | undefined {
  const paths: string[][] = [[]];
  for (let at = 0; ; at++) {
    NAME.lastIndex = at;
    const [name] = NAME.exec(text) ?? [];
    if (name === undefined) return undefined;
    paths.at(-1)?.push(name.startsWith('"') ? JSON.parse(name) : name);
    at += name.length;
    if (at === text.length) return paths;
    if (text[at] === ",") paths.push([]);
    else if (text[at] !== ".") return undefined;
  }
}

/** Parses one path. */
export function parseFieldPath(text: string): FieldPath | undefined {
  const paths = parseFieldPaths(text);
  return paths?.length === 1 ? paths[0] : undefined;
}

const BARE_NAME = /^[A-Za-z_$][\w$-]*$/;

/** The path as `parseFieldPath` reads it. */
export function formatFieldPath(path: FieldPath): string {
  return path.map((name) => (BARE_NAME.test(name) ? name : JSON.stringify(name))).join(".");
}
