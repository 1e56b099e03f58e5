import { isProblemType, type ProblemType } from "../contract/problems.ts";

/** A node of the OpenAPI document or of a JSON Schema in it. */
export type Node = Readonly<Record<string, unknown>>;

export interface Field {
  name: string;
  place: string;
  description: string;
  required: boolean;
  schema: Node;
  example: unknown;
  /** Stands for any number of parameters, one for each member of an object. */
  exploded: boolean;
}

interface Body {
  types: string[];
  schema: Node;
  examples: [name: string, value: unknown][];
}

export interface Answer {
  status: string;
  description: string;
  headers: Field[];
  body: Body | undefined;
  problems: ProblemType[];
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** Who may: callers with this scope, whoever has a key (`caller`), or `anybody`. */
  access: string;
  parameters: Field[];
  body: Body | undefined;
  answers: Answer[];
}

export interface Description {
  title: string;
  version: string;
  summary: string;
  description: string;
  groups: { name: string; description: string; operations: Operation[] }[];
  schemas: [name: string, schema: Node][];
  /** What every answer carries and every operation can answer: told once, not with each. */
  everywhere: Common;
  /** What those that take a key with a scope have in common beside that. */
  keyed: Common;
}

export interface Common {
  headers: Field[];
  problems: ProblemType[];
}

/** Reads the OpenAPI document into what the page shows, in the document's own order. */
export function readDescription(api: Node): Description {
  const info = node(api.info);
  const tagged = members(api.paths).flatMap(([path, item]) =>
    members(item).map(([method, operation]) => ({
      tag: list(operation.tags)[0],
      operation: readOperation(method, path, operation),
    })),
  );
  const operations = tagged.map(({ operation }) => operation);
  const everywhere = common(operations);
  return {
    title: text(info.title),
    version: text(info.version),
    summary: text(info.summary),
    description: text(info.description),
    groups: list(api.tags).map((tag) => ({
      name: text(node(tag).name),
      description: text(node(tag).description),
      operations: tagged.filter((entry) => entry.tag === node(tag).name).map(({ operation }) => operation),
    })),
    schemas: members(node(api.components).schemas),
    everywhere,
    keyed: beyond(common(operations.filter(({ access }) => access.includes(":"))), everywhere),
  };
}

/** What there is beside what is known already. */
export function beyond({ headers, problems }: Common, known: Common): Common {
  return {
    headers: headers.filter(({ name }) => !known.headers.some((header) => header.name === name)),
    problems: problems.filter((type) => !known.problems.includes(type)),
  };
}

export function problemsOf(operation: Operation): ProblemType[] {
  return operation.answers.flatMap((answer) => answer.problems);
}

/** The name that a reference ends in: `User` of `#/components/schemas/User`. */
export function referredName(schema: Node): string | undefined {
  return typeof schema.$ref === "string" ? schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1) : undefined;
}

export function node(value: unknown): Node {
  return isNode(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function members(value: unknown): [string, Node][] {
  return Object.entries(node(value)).map(([name, member]) => [name, node(member)]);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readOperation(method: string, path: string, operation: Node): Operation {
  return {
    id: text(operation.operationId),
    method: method.toUpperCase(),
    path,
    summary: text(operation.summary),
    description: text(operation.description),
    access:
      list(operation.security).length === 0 ? "anybody" : text(operation["x-required-scope"]) || "caller",
    parameters: list(operation.parameters).map((parameter) =>
      readField(text(node(parameter).name), node(parameter)),
    ),
    body: readBody(node(operation.requestBody).content),
    answers: members(operation.responses).map(readAnswer),
  };
}

function readAnswer([status, answer]: [string, Node]): Answer {
  const body = readBody(answer.content);
  return {
    status,
    description: text(answer.description),
    headers: members(answer.headers).map(([name, header]) => readField(name, header)),
    body,
    // Problems stand in the document as examples under their types, which is how several share a status.
    problems: body?.examples.map(([name]) => name).filter(isProblemType) ?? [],
  };
}

function readField(name: string, field: Node): Field {
  return {
    name,
    place: text(field.in),
    description: text(field.description),
    required: field.required === true,
    schema: node(field.schema),
    example: field.example,
    exploded: field.explode === true,
  };
}

function readBody(content: unknown): Body | undefined {
  const forms = members(content);
  const first = forms[0]?.[1];
  if (!first) return undefined;
  return {
    types: forms.map(([type]) => type),
    schema: node(first.schema),
    examples: members(first.examples).map(([name, example]) => [name, example.value]),
  };
}

function common(operations: Operation[]): Common {
  return {
    headers: inAll(
      operations.flatMap(({ answers }) => answers.map(({ headers }) => headers)),
      ({ name }) => name,
    ),
    problems: inAll(operations.map(problemsOf), (type) => type),
  };
}

function inAll<Item>(lists: Item[][], key: (item: Item) => string): Item[] {
  const [first = [], ...rest] = lists;
  return first.filter((item) => rest.every((other) => other.some((one) => key(one) === key(item))));
}
