import { type Client, RequestError } from "../../client/index.ts";
import { fieldLimits } from "../../contract/users/field-schemas.ts";
import { fieldType } from "../../contract/users/user-fields.ts";
import { type FieldPath, formatFieldPath, parseFieldPath } from "../../domain/field-path.ts";
import type { ComparisonOperator, Expression, Literal, Path } from "../../domain/filter/expression.ts";
import { FilterSyntaxError } from "../../domain/filter/filter-syntax-error.ts";
import { parseExpression } from "../../domain/filter/parse-expression.ts";
import { parseInstant } from "../../domain/filter/parse-instant.ts";
import { didYouMean } from "./argument-names.ts";
import { type AddNote, shorten } from "./arguments.ts";
import { commonFields } from "./list-fields.ts";

/** The parts of a call that name fields. */
interface NamedFields {
  readonly filter?: string | undefined;
  /** With `-` in front for descending order. */
  readonly sort?: string | undefined;
  /** As `formatFieldPath` writes them. */
  readonly fields?: readonly string[] | undefined;
}

/** A path, and the comparison that a filter makes with it. */
interface Use {
  readonly path: FieldPath;
  readonly compared?: { readonly operator: ComparisonOperator; readonly value: Literal };
}

/** Values inside a field that are looked up: each takes a request. */
const MAX_NESTED = 5;
const MAX_NOTES = 5;
/** A note is not worth a longer wait, for example for a rate limit. */
const TIMEOUT_MS = 5000;

/**
 * Adds a note for each named field that no user has, and for each comparison with a type that the field does not have: the service
 * finds nobody then, without an error. Adds none if the service does not answer: the call itself reports that.
 */
export async function addFieldNotes(client: Client, named: NamedFields, addNote: AddNote): Promise<void> {
  try {
    const notes = await findNotes(client, listUses(named));
    for (const note of [...new Set(notes)].slice(0, MAX_NOTES)) addNote(note);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
}

async function findNotes(client: Client, uses: readonly Use[]): Promise<string[]> {
  const common = new Map<string, readonly string[]>(commonFields.map(({ name, types }) => [name, types]));
  const namesCustom = uses.some(({ path: [name = ""] }) => !common.has(name));
  const custom = namesCustom ? await client.fields.list({ timeout: TIMEOUT_MS }) : [];
  const types = new Map([...custom.map(({ name, types }) => [name, types] as const), ...common]);
  // A full list may not have all fields.
  const isComplete = custom.length < fieldLimits.fields;
  const notes: string[] = [];
  const nested = new Set<string>();
  for (const { path, compared } of uses) {
    const [name = "", ...inside] = path;
    const found = types.get(name);
    if (!found) {
      const suggestion = didYouMean(name, [...types.keys()]);
      if (isComplete)
        notes.push(
          `No user has the field ${shorten(name)}.${suggestion} list_fields tells which fields there are.`,
        );
    } else if (inside.length > 0) nested.add(formatFieldPath(path));
    else if (compared) notes.push(...describeMismatch(name, found, compared));
  }
  for (const path of [...nested].slice(0, MAX_NESTED)) {
    const { users, next } = await client.users
      .list({ filter: `${path} pr`, fields: ["id"], limit: 1, timeout: TIMEOUT_MS })
      .page();
    if (users.length === 0 && next === undefined) {
      notes.push(`No user has a value in ${shorten(path)}. list_fields shows what is in a field.`);
    }
  }
  return notes;
}

/** A note if the value has another type than all values of the field. */
function describeMismatch(
  name: string,
  types: readonly string[],
  { operator, value }: NonNullable<Use["compared"]>,
): string[] {
  // Any field can be compared with null.
  if (value === null) return [];
  const comparesTimes = fieldType(name) === "time" && !["co", "sw", "ew"].includes(operator);
  if (comparesTimes && !(typeof value === "string" && parseInstant(value) !== undefined)) {
    return [
      `${name} is a time. Compare it with a date or a time in quotes, such as ${name} ge "2026-01-31".`,
    ];
  }
  // The types of the elements of an array are not known.
  if (types.includes("array") || types.includes(typeof value)) return [];
  return [
    `No user has a ${typeof value} in ${name}, only: ${types.join(", ")}. Write text in double quotes; numbers, true and false without quotes.`,
  ];
}

/** The service rejects what cannot be parsed, with an error of its own. */
function listUses({ filter, sort, fields = [] }: NamedFields): Use[] {
  const paths = [...(sort === undefined ? [] : [sort.replace(/^-/, "")]), ...fields].map(parseFieldPath);
  const uses = paths.flatMap((path) => (path ? [{ path }] : []));
  try {
    const compared = filter === undefined ? [] : usesIn(parseExpression(filter));
    // Not a field: it compares the groups that the users are members of.
    return [...compared.filter(({ path }) => path[0] !== "groups"), ...uses];
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    return [];
  }
}

/** The comparisons of an expression. Paths of a condition in brackets begin at the element: `before` leads to it. */
function usesIn(expression: Expression, before: FieldPath = []): Use[] {
  switch (expression.kind) {
    case "and":
    case "or":
      return expression.operands.flatMap((operand) => usesIn(operand, before));
    case "not":
      return usesIn(expression.operand, before);
    case "compare":
      return usesOfPath(expression.path, before, expression);
    case "present":
    case "element":
      return usesOfPath(expression.path, before);
    case "fits":
    case "same":
      return [{ path: [expression.field] }];
  }
}

function usesOfPath(path: Path, before: FieldPath, compared?: Use["compared"]): Use[] {
  const names = [...before, ...path.map(({ name }) => name)];
  const conditions = path.flatMap(({ where }, index) =>
    where ? usesIn(where, names.slice(0, before.length + index + 1)) : [],
  );
  return [{ path: names, ...(compared && { compared }) }, ...conditions];
}
