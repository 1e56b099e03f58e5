import type { Scope } from "../contract/keys/key.ts";
import { listResponseTypes, mediaTypes, type Operation, type Parameter } from "../contract/operation.ts";
import type { ProblemType } from "../contract/problems.ts";
import type { ValueOf } from "../contract/scalars.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { Precondition } from "../domain/precondition.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { requireScope } from "./access/require-scope.ts";
import { parseJson } from "./body-reader.ts";
import { createTypeCheck } from "./content-type.ts";
import {
  parseIdempotencyKey,
  parseLastEventId,
  parsePrecondition,
  parseReadPrecondition,
} from "./query/headers.ts";
import { negotiateType } from "./query/negotiation.ts";
import { createQueryReader, createValueReader, type ValueReader } from "./query/parameters.ts";
import { readQueryString } from "./query/query-string.ts";
import type { RequestContext } from "./request-context.ts";

type Declared<Op extends Operation, In extends Parameter["in"]> = Extract<
  Op["parameters"][number],
  { in: In }
>;
type Value<P extends Parameter> = ValueOf<P["schema"]>;
type QueryValue<P extends Parameter> = P["schema"] extends { default: unknown }
  ? Value<P>
  : Value<P> | undefined;

type PathInput<Op extends Operation> = {
  readonly [P in Declared<Op, "path"> as P["name"]]: Value<P>;
};
/** If any name can be a parameter, the handler reads the query string. */
type QueryInput<Op extends Operation> =
  Extract<Op["parameters"][number], { explode: true }> extends never
    ? { readonly [P in Declared<Op, "query"> as P["name"]]: QueryValue<P> }
    : { readonly queryString: string };

/** What a declared header adds to the input. */
type IfDeclared<Op extends Operation, Header, Added> = Header extends Declared<Op, "header">["name"]
  ? Added
  : unknown;
type HeaderInput<Op extends Operation> = IfDeclared<
  Op,
  "If-Match",
  { readonly precondition: Precondition | undefined }
> &
  IfDeclared<Op, "If-None-Match", { readonly ifNoneMatch: string | null }> &
  IfDeclared<Op, "Idempotency-Key", { readonly idempotencyKey: string | undefined }> &
  IfDeclared<Op, "Last-Event-ID", { readonly lastEventId: number | undefined }>;

type BodyInput<Op extends Operation> = Op extends { request: { unread: true } }
  ? { readonly bodyType: string }
  : Op extends { request: object }
    ? { readonly body: unknown }
    : unknown;

/** What a request for an operation says, checked as the operation declares. */
export type Input<Op extends Operation> = PathInput<Op> & QueryInput<Op> & HeaderInput<Op> & BodyInput<Op>;

export type OperationHandler<Op extends Operation> = (
  context: RequestContext,
  input: Input<Op>,
) => MaybePromise<Response>;

/** Reads the whole body of a request, without its content coding. */
export type ReadBody = (context: RequestContext) => Promise<Uint8Array>;

type Values = Record<string, unknown>;

/**
 * Reads and checks the requests for an operation, and chooses the type of the response. Throws the problem of the first part that is
 * wrong. Without a body, no promise is needed.
 *
 * All operations share this code: most of its values have one shape, which keeps the most frequent reads fast.
 */
export function createInputReader<Op extends Operation>(
  operation: Op,
  readBody: ReadBody,
): (context: RequestContext) => MaybePromise<Input<Op>> {
  const { method, parameters, request: body } = operation;
  const path = parameters.filter((parameter) => parameter.in === "path").map(createPathRule);
  const addQuery = createQueryStep(operation);
  const needs = parameters.flatMap((parameter) => (parameter.needs ? [createNeed(parameter.needs)] : []));
  const response = createResponseRule(operation);
  const checkBodyType = body && createTypeCheck(operation);
  const selectBodyType = createSelection(operation, "request");
  const hasHeader = (name: string) =>
    parameters.some((parameter) => parameter.in === "header" && parameter.name === name);
  const parse = method === "GET" ? parseReadPrecondition : parsePrecondition;
  const readPrecondition = hasHeader("If-Match") ? parse : undefined;
  const hasIfNoneMatch = hasHeader("If-None-Match");
  const hasIdempotencyKey = hasHeader("Idempotency-Key");
  const hasLastEventId = hasHeader("Last-Event-ID");
  const finish = async (context: RequestContext, input: Values) => {
    const bytes = await readBody(context);
    if (bytes.length === 0 && body?.optional) return input;
    if (body?.optional) checkBodyType?.(context.request);
    input.body = parseJson(bytes, body?.invalid);
    return input;
  };
  return (context) => {
    const { request } = context;
    const input: Values = {};
    for (const rule of path) input[rule.name] = readPathParameter(context, rule);
    addQuery?.(context, input);
    for (const need of needs) requireIfNeeded(context, input, need);
    if (response) context.responseType = chooseResponseType(request, input, response);
    if (checkBodyType && !body?.optional) input.bodyType = checkBodyType(request, selectBodyType?.(input));
    if (readPrecondition) input.precondition = readPrecondition(request);
    if (hasIfNoneMatch) input.ifNoneMatch = request.headers.get("if-none-match");
    if (hasIdempotencyKey) input.idempotencyKey = parseIdempotencyKey(request);
    if (hasLastEventId) input.lastEventId = parseLastEventId(request);
    // All this comes from the same declarations as the type.
    return (body && !body.unread ? finish(context, input) : input) as MaybePromise<Input<Op>>;
  };
}

interface PathRule {
  readonly name: string;
  readonly value: ValueReader;
  readonly notFound: ProblemType;
  readonly correction: string | undefined;
}

function createPathRule(parameter: Parameter): PathRule {
  const { name, notFound = "not-found", correction } = parameter;
  return { name, value: createValueReader(parameter), notFound, correction };
}

function readPathParameter({ parameters }: RequestContext, rule: PathRule): unknown {
  const value = rule.value.read(parameters[rule.name] ?? "");
  if (value === undefined) throw new ProblemError(rule.notFound, rule.correction);
  return value;
}

/** Adds the query to the input. If any name can be a parameter, it adds the query string, and only parameters that select a type. */
function createQueryStep(
  operation: Operation,
): ((context: RequestContext, input: Values) => void) | undefined {
  const declared = operation.parameters.filter((parameter) => parameter.in === "query");
  const isOpen = declared.some(({ explode }) => explode);
  if (isOpen && !declared.some(({ selects }) => selects)) {
    return ({ url }, input) => {
      input.queryString = readQueryString(url);
    };
  }
  if (declared.length === 0 && !operation.list) return undefined;
  const read = createQueryReader(operation);
  return ({ url }, input) => {
    const queryString = readQueryString(url);
    Object.assign(input, read(queryString), isOpen && { queryString });
  };
}

/** A scope that requests with these values of parameters need. */
interface Need {
  readonly scope: Scope;
  readonly values: readonly (readonly [name: string, value: string])[];
}

function createNeed({ scope, query }: NonNullable<Parameter["needs"]>): Need {
  return { scope, values: [...new URLSearchParams(query)] };
}

function requireIfNeeded({ caller }: RequestContext, input: Values, { scope, values }: Need): void {
  if (values.every(([name, value]) => String(input[name]) === value)) requireScope(caller, scope);
}

const typesByName: ReadonlyMap<unknown, string> = new Map(Object.entries(mediaTypes));

/** A function that finds the media type that a parameter names, if it was sent. Undefined without such a parameter. */
function createSelection({ parameters }: Operation, selected: "request" | "response") {
  const name = parameters.find(({ selects }) => selects === selected)?.name;
  return name === undefined ? undefined : (input: Values) => typesByName.get(input[name]);
}

interface ResponseRule {
  readonly types: readonly string[];
  readonly defaultType: string;
  /** The types, and those for which a caller gets the default type. */
  readonly accepted: readonly string[];
  readonly elsewhere: Operation["elsewhere"];
  readonly select: ReturnType<typeof createSelection>;
}

/** Undefined for an operation whose responses have no body. */
function createResponseRule(operation: Operation): ResponseRule | undefined {
  const { alsoAccepts = [], elsewhere } = operation;
  const types = listResponseTypes(operation);
  const [defaultType] = types;
  if (defaultType === undefined) return undefined;
  const select = createSelection(operation, "response");
  return { types, defaultType, accepted: [...types, ...alsoAccepts], elsewhere, select };
}

/** Throws `not-acceptable`. */
function chooseResponseType({ headers }: Request, input: Values, rule: ResponseRule): string {
  const { types, defaultType, accepted, elsewhere, select } = rule;
  const accept = headers.get("accept");
  const type = select?.(input) ?? negotiateType(accept, accepted);
  if (type !== undefined) return types.includes(type) ? type : defaultType;
  const isElsewhere = elsewhere && negotiateType(accept, elsewhere.types) !== undefined;
  const hint = isElsewhere ? ` ${elsewhere.hint}` : "";
  throw new ProblemError(
    "not-acceptable",
    `This resource is available as ${types.join(" or ")} only.${hint}`,
  );
}
