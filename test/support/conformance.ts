import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import { mediaTypes } from "../../src/contract/operation.ts";
import { problems } from "../../src/contract/problems.ts";
import { api, paths } from "./description.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...Object(api), $id: "api" });
const compiled = new Map<object, ValidateFunction>();

/**
 * Checks the status, headers, content type and body of a response against the OpenAPI description. Throws if they do not
 * match, else returns the response. Every response that the tests see passes through here.
 */
export async function conforming(method: string, path: string, response: Response): Promise<Response> {
  const fail = (what: string) => new Error(`${method} ${path}: status ${response.status}: ${what}`);
  const [route, methods] = describedPath(path) ?? [];
  const operation = methods?.[(method === "HEAD" ? "GET" : method).toLowerCase()];
  if (!route || !methods || !operation) {
    requireUndescribed(response, path, Boolean(methods), method, fail);
    return response;
  }
  // Users, keys and even problems hold personal data.
  if (route.startsWith("/api") && response.headers.get("cache-control") !== "no-store")
    throw fail("caches may store it");
  const described = operation.responses[response.status];
  if (!described) throw fail(`${route} does not describe this status`);
  for (const [name, { required, schema }] of Object.entries(described.headers)) {
    const value = response.headers.get(name);
    if (value === null && required) throw fail(`missing header ${name}`);
    if (value !== null) requireValid(schema, value, (errors) => fail(`header ${name}: ${errors}`));
  }
  const type = response.headers.get("content-type")?.split(";")[0];
  const content = Object.entries(described.content ?? {});
  if (content.length === 0) {
    if (type) throw fail(`has a body of type ${type}, but none is described`);
    return response;
  }
  const [, body] = content.find(([name]) => name === type) ?? [];
  if (!body) throw fail(`content type ${type} is not described`);
  if (method === "HEAD") return response;
  const text = await response.clone().text();
  const value = type?.endsWith("json") && type !== mediaTypes.ndjson ? JSON.parse(text) : text;
  requireValid(body.schema, value, (errors) => fail(`body ${errors}: ${text.slice(0, 300)}`));
  return response;
}

/** Paths with parameters, as patterns. */
const patterns = Object.entries(paths).map(
  ([route, methods]) => [new RegExp(`^${route.replace(/\{\w+\}/g, "[^/]+")}$`), route, methods] as const,
);

/** Statuses of requests with a key in the URL, or with a Host that is not allowed, whatever their method. */
const beforeMethods = new Set<number>([problems["invalid-query"].status, problems["wrong-host"].status]);

/** The types of errors below paths that are not described: those of the standards that the paths implement. */
const errorTypes: readonly (readonly [prefix: string, types: readonly string[]])[] = [
  ["/oauth/", [mediaTypes.json]],
  ["/scim/v2", [mediaTypes.scim, mediaTypes.json]],
];

/** Checks responses without a description: OPTIONS, 405, unknown paths, files of pages, and the operations of other standards. */
function requireUndescribed(
  response: Response,
  path: string,
  isDescribedPath: boolean,
  method: string,
  fail: (what: string) => Error,
): void {
  const { status, headers } = response;
  if (!headers.get("x-request-id")) throw fail("missing header X-Request-Id");
  if (method === "OPTIONS" && status === 204) {
    if (!headers.get("allow")) throw fail("missing header Allow");
  } else if (isDescribedPath) {
    if (status !== 405 && status < 500 && !beforeMethods.has(status))
      throw fail("the method is not described");
    if (status === 405 && !headers.get("allow")) throw fail("missing header Allow");
  } else if (
    status >= 400 &&
    !errorTypesOf(path).includes(headers.get("content-type")?.split(";")[0] ?? "")
  ) {
    throw fail("not a problem document");
  }
}

function errorTypesOf(path: string): readonly string[] {
  const [, types] = errorTypes.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return types ?? [mediaTypes.problem];
}

function describedPath(path: string): [string, (typeof paths)[string]] | undefined {
  // Without dot segments, as the service sees it.
  const bare = (URL.parse(`http://localhost${path}`)?.pathname ?? path).replace(/(.)\/$/, "$1");
  const exact = paths[bare];
  if (exact) return [bare, exact];
  const found = patterns.find(([pattern]) => pattern.test(bare));
  return found && [found[1], found[2]];
}

function requireValid(schema: object, value: unknown, fail: (errors: string) => Error): void {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  if (!validate(value)) throw fail(ajv.errorsText(validate.errors));
}
