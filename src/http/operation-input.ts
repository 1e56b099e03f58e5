import { listResponseTypes, mediaTypes, type Operation, type Parameter } from "../contract/operation.ts";
import type { ValueOf } from "../contract/scalars.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { requireScope } from "./access/require-scope.ts";
import { parseJson } from "./body-reader.ts";
import { createTypeCheck } from "./content-type.ts";
import {
  parseIdempotencyKey,
  parseIfNoneMatch,
  parseLastEventId,
  parsePrecondition,
  parseReadPrecondition,
} from "./query/headers.ts";
import { negotiateType } from "./query/negotiation.ts";
import { createQueryReader, createValueReader } from "./query/parameters.ts";
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

/** What declared headers become in the input. */
const headerReaders = {
  precondition: ["If-Match", parsePrecondition],
  ifNoneMatch: ["If-None-Match", parseIfNoneMatch],
  idempotencyKey: ["Idempotency-Key", parseIdempotencyKey],
  lastEventId: ["Last-Event-ID", parseLastEventId],
} as const;
type HeaderReaders = typeof headerReaders;
type HeaderInput<Op extends Operation> = {
  readonly [Key in keyof HeaderReaders as HeaderReaders[Key][0] extends Declared<Op, "header">["name"]
    ? Key
    : never]: ReturnType<HeaderReaders[Key][1]>;
};

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
/** Adds a part of a request to the input, or throws the problem that is wrong with this part. */
type Step = (context: RequestContext, input: Values) => void;

/** Reads and checks the requests for an operation. Sets the type of the response. Without a body, no promise is needed. */
export function createInputReader<Op extends Operation>(
  operation: Op,
  readBody: ReadBody,
): (context: RequestContext) => MaybePromise<Input<Op>> {
  const steps = [
    ...readPath(operation),
    ...readQuery(operation),
    ...requireScopes(operation),
    ...chooseResponseType(operation),
    ...checkBodyType(operation),
    ...readHeaders(operation),
  ];
  const addBody = createBodyStep(operation, readBody);
  return (context) => {
    const input: Values = {};
    for (const step of steps) step(context, input);
    // The steps come from the same declarations as the type.
    return (addBody ? addBody(context, input) : input) as MaybePromise<Input<Op>>;
  };
}

function readPath({ parameters }: Operation): Step[] {
  return parameters
    .filter((parameter) => parameter.in === "path")
    .map((parameter): Step => {
      const { name, correction, notFound = "not-found" } = parameter;
      const { read } = createValueReader(parameter);
      return (context, input) => {
        const value = read(context.parameters[name] ?? "");
        if (value === undefined) throw new ProblemError(notFound, correction);
        input[name] = value;
      };
    });
}

function readQuery(operation: Operation): Step[] {
  const declared = operation.parameters.filter((parameter) => parameter.in === "query");
  if (declared.some(({ explode }) => explode)) {
    const addQueryString: Step = ({ url }, input) => {
      input.queryString = readQueryString(url);
    };
    if (!declared.some(({ selects }) => selects)) return [addQueryString];
    return [addQueryString, addParameters(operation)];
  }
  return declared.length > 0 || operation.list ? [addParameters(operation)] : [];
}

function addParameters(operation: Operation): Step {
  const read = createQueryReader(operation);
  return ({ url }, input) => Object.assign(input, read(readQueryString(url)));
}

/** The scopes that some values of parameters need. */
function requireScopes({ parameters }: Operation): Step[] {
  return parameters.flatMap(({ needs }): Step[] => {
    if (!needs) return [];
    const conditions = [...new URLSearchParams(needs.query)];
    return [
      ({ caller }, input) => {
        if (conditions.every(([name, value]) => String(input[name]) === value))
          requireScope(caller, needs.scope);
      },
    ];
  });
}

const typesByName: ReadonlyMap<unknown, string> = new Map(Object.entries(mediaTypes));

/** A function that finds the media type that a parameter names, if it was sent. Undefined without such a parameter. */
function createSelection({ parameters }: Operation, selected: "request" | "response") {
  const name = parameters.find(({ selects }) => selects === selected)?.name;
  return name === undefined ? undefined : (input: Values) => typesByName.get(input[name]);
}

function chooseResponseType(operation: Operation): Step[] {
  const { alsoAccepts = [], elsewhere } = operation;
  const types = listResponseTypes(operation);
  const [defaultType] = types;
  if (defaultType === undefined) return [];
  const accepted = [...types, ...alsoAccepts];
  const select = createSelection(operation, "response");
  return [
    (context, input) => {
      const accept = context.request.headers.get("accept");
      const type = select?.(input) ?? negotiateType(accept, accepted);
      if (type === undefined) {
        const isElsewhere = elsewhere && negotiateType(accept, elsewhere.types) !== undefined;
        const hint = isElsewhere ? ` ${elsewhere.hint}` : "";
        throw new ProblemError(
          "not-acceptable",
          `This resource is available as ${types.join(" or ")} only.${hint}`,
        );
      }
      context.responseType = types.includes(type) ? type : defaultType;
    },
  ];
}

function checkBodyType(operation: Operation): Step[] {
  if (!operation.request || operation.request.optional) return [];
  const select = createSelection(operation, "request");
  const check = createTypeCheck(operation);
  return [
    ({ request }, input) => {
      input.bodyType = check(request, select?.(input));
    },
  ];
}

function readHeaders({ method, parameters }: Operation): Step[] {
  const declared = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  return Object.entries(headerReaders).flatMap(([key, [header, readHeader]]): Step[] => {
    if (!declared.includes(header)) return [];
    const read = method === "GET" && key === "precondition" ? parseReadPrecondition : readHeader;
    return [
      ({ request }, input) => {
        input[key] = read(request);
      },
    ];
  });
}

function createBodyStep(operation: Operation, readBody: ReadBody) {
  const { request } = operation;
  if (!request || request.unread) return undefined;
  const check = createTypeCheck(operation);
  return async (context: RequestContext, input: Values): Promise<Values> => {
    const bytes = await readBody(context);
    if (request.optional && bytes.length === 0) return input;
    if (request.optional) check(context.request);
    input.body = parseJson(bytes, request.invalid);
    return input;
  };
}
