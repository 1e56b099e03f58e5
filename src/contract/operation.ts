import type { JsonSchema } from "./json-schema.ts";
import type { Scope } from "./key.ts";
import type { ProblemType } from "./problems.ts";

export const mediaTypes = {
  json: "application/json",
  mergePatch: "application/merge-patch+json",
  problem: "application/problem+json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  html: "text/html",
  metrics: "text/plain",
} as const;

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  schema: JsonSchema;
  required?: true;
  /** An object only for an exploded parameter. */
  example?: string | number | Readonly<Record<string, readonly string[]>>;
  /** The parameter stands for any number of parameters, one for each member of an object. */
  exploded?: true;
}

export interface HeaderField {
  description: string;
  schema: JsonSchema;
  /** Not on every such answer. */
  sometimes?: true;
}

/** A body in one form. */
export interface Form {
  type: string;
  schema: JsonSchema;
  examples: Record<string, unknown>;
}

export interface Answer {
  description: string;
  headers?: Record<string, HeaderField>;
  body?: Form;
  /** The same in other forms, for those who ask for them. */
  forms?: Form[];
}

export interface Operation {
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  tag: "users" | "keys" | "service";
  /** Who may: callers with this scope, whoever has a key or a session, or anybody. */
  access: Scope | "caller" | "anybody";
  summary: string;
  description: string;
  parameters: Parameter[];
  request?: { types: string[]; schema: JsonSchema; examples: Record<string, unknown>; forms?: Form[] };
  answers: Record<number, Answer>;
  /** What can go wrong, beside what can go wrong everywhere. */
  problems: ProblemType[];
}

/** The request body in each media type that the operation accepts. */
export function requestForms({ request }: Operation): Form[] {
  if (!request) return [];
  const { types, schema, examples, forms = [] } = request;
  return [...types.map((type) => ({ type, schema, examples })), ...forms];
}
