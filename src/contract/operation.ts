import type { JsonSchema } from "./json-schema.ts";
import type { Scope } from "./keys/key.ts";
import type { ProblemType } from "./problems.ts";

export const mediaTypes = {
  json: "application/json",
  mergePatch: "application/merge-patch+json",
  problem: "application/problem+json",
  scim: "application/scim+json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  form: "application/x-www-form-urlencoded",
  eventStream: "text/event-stream",
  html: "text/html",
  metrics: "text/plain",
} as const;

/** Returns the media type that another name of it stands for, and any other type unchanged. */
export function resolveMediaType(type: string): string {
  return type === "application/ndjson" || type === "application/jsonl" ? mediaTypes.ndjson : type;
}

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  schema: JsonSchema;
  required?: true;
  /** An object only if `explode` is set. */
  example?: string | number | Readonly<Record<string, readonly string[]>>;
  /** Each member of the object is a query parameter of its own. The OpenAPI description does not contain the parameter. */
  explode?: true;
  /** The name of the parameter in the description's components, if several operations share it. */
  component?: string;
  /**
   * A scope that requests with this query, such as `purge=true`, need besides. If any name can be a parameter (`explode`), the handler,
   * which reads the query, must require it.
   */
  needs?: { scope: Scope; query: string };
  /** What to send instead of a value that is not allowed. Without it, only the handler checks the schema's pattern. */
  correction?: string;
  /** Whether a value that the schema allows is one, if a pattern cannot say it. */
  accepts?: (text: string) => boolean;
  /** Of a path: the problem of a value that the schema does not allow. */
  notFound?: ProblemType;
  /** The value is the name of a media type, such as `csv`: that of the body or of the response, whatever the headers say. */
  selects?: "request" | "response";
}

export interface HeaderDescription {
  description: string;
  schema: JsonSchema;
  /** Whether some responses lack the header. */
  optional?: true;
  /** Its name in the description's components, if another header has the same name. */
  component?: string;
}

/** A body in one media type. */
export interface BodyDescription {
  type: string;
  schema: JsonSchema;
  examples: Record<string, unknown>;
}

export interface ResponseDescription {
  /** The name of the response in the description's components, if several operations share it. */
  component?: string;
  description: string;
  headers?: Record<string, HeaderDescription>;
  body?: BodyDescription;
  /** The body in other media types. */
  alternatives?: BodyDescription[];
}

/** The media types of another operation, and where to find it. */
interface Elsewhere {
  types: readonly string[];
  hint: string;
}

/** Scopes of which a caller needs one. */
type OneOf = readonly [Scope, Scope, ...Scope[]];

/** Who can call an operation. */
export interface AccessRule {
  /** Anyone, any active key or session, or keys with all of these scopes. */
  access: "public" | "authenticated" | readonly [Scope | OneOf, ...(Scope | OneOf)[]];
  /** A session or an access token is not enough: the request needs the key itself. */
  keyOnly?: true;
}

export interface Operation extends AccessRule {
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  tag: "users" | "groups" | "schema" | "events" | "webhooks" | "keys" | "service";
  summary: string;
  description: string;
  /** A request with other query parameters is refused, if the operation has any or is a list. */
  parameters: readonly Parameter[];
  request?: {
    types: string[];
    schema: JsonSchema;
    examples: Record<string, unknown>;
    /** The problem of a body that the schema does not allow. */
    invalid: ProblemType;
    /** Whether the request may have no body. */
    optional?: true;
    /** The handler reads the body, as a stream or under its own conditions. */
    unread?: true;
    /** Types that only a mistaken caller sends here. */
    elsewhere?: Elsewhere;
    alternatives?: BodyDescription[];
    /** What a request needs besides if its body has this member. The handler, which reads the body, must require it. */
    members?: Record<string, { scopes: readonly [Scope, ...Scope[]] } | { keyOnly: true }>;
  };
  responses: Record<number, ResponseDescription>;
  /** Types that a caller may ask for too. It gets the first type of the responses. */
  alsoAccepts?: readonly string[];
  /** Types that only a mistaken caller asks for here. */
  elsewhere?: Elsewhere;
  /** Set for lists: the pages that the Link header leads to. */
  list?: readonly ("next" | "prev" | "first")[];
  /** Problem types of this operation. `listProblems` adds the common ones. */
  problems: ProblemType[];
  /** Each request that succeeds is logged at level info, except a dry run. */
  logged?: true;
  /** The idle timeout does not apply until the response begins: to any request, or only with this parameter or media type. */
  takesLong?: true | { parameter: string; type: string };
}

/** A scope that callers of an operation need. */
export interface RequiredScope {
  /** One of these is enough. */
  readonly anyOf: readonly Scope[];
  /** Only with these query parameters. */
  readonly query?: string;
  /** Only with this member of the body. */
  readonly member?: string;
}

/** Every scope that an operation needs, those of all requests first. */
export function listScopes({ access, parameters, request }: Operation): RequiredScope[] {
  if (access === "public" || access === "authenticated") return [];
  return [
    ...access.map((scope) => ({ anyOf: typeof scope === "string" ? [scope] : scope })),
    ...parameters.flatMap(({ needs }) =>
      needs && !access.some((scope) => scope === needs.scope)
        ? [{ anyOf: [needs.scope], query: needs.query }]
        : [],
    ),
    ...Object.entries(request?.members ?? {}).flatMap(([member, needs]) =>
      "scopes" in needs ? needs.scopes.map((scope) => ({ anyOf: [scope], member })) : [],
    ),
  ];
}

/** The scopes that an operation needs, as text: `users:write, and users:purge with purge=true`. Empty if it needs none. */
export function formatScopes(operation: Operation): string {
  const byCondition = Map.groupBy(listScopes(operation), ({ query, member }) => query ?? member);
  return [...byCondition]
    .map(([condition, scopes]) => {
      const needed = scopes.map(({ anyOf }) => anyOf.join(" or ")).join(" and ");
      return condition === undefined ? needed : `, and ${needed} with ${condition}`;
    })
    .join("");
}

/** The media types of an operation's responses, the default first. */
export function listResponseTypes({ responses }: Operation): string[] {
  const forms = Object.values(responses).flatMap(({ body, alternatives = [] }) =>
    body ? [body, ...alternatives] : [],
  );
  return [...new Set(forms.map(({ type }) => type))];
}

/** The media types that a request body may have. */
export function listRequestTypes(operation: Operation): string[] {
  return listRequestBodies(operation).map(({ type }) => type);
}

/** The request body in each media type that the operation accepts. */
export function listRequestBodies({ request }: Operation): BodyDescription[] {
  if (!request) return [];
  const { types, schema, examples, alternatives = [] } = request;
  return [...types.map((type) => ({ type, schema, examples })), ...alternatives];
}
