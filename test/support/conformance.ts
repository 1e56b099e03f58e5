import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import { describeApi } from "../../src/contract/openapi.ts";
import { mediaTypes } from "../../src/contract/operation.ts";

/** The parts of the description that answers are held against. */
interface Description {
  paths: Record<string, Record<string, { responses: Record<string, DescribedAnswer> }>>;
}
interface DescribedAnswer {
  headers?: Record<string, { required: boolean; schema: object }>;
  content?: Record<string, { schema: object }>;
}

const api = describeApi("0.0.0");
const { paths } = JSON.parse(JSON.stringify(api)) as Description;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...api, $id: "api" });
const compiled = new Map<object, ValidateFunction>();

/**
 * Gives the answer back if it is one that the API's description allows: its status, its headers, its type and its
 * body. Throws otherwise. Every answer that the tests see goes through here.
 */
export async function conforming(method: string, path: string, response: Response): Promise<Response> {
  const fail = (what: string) => new Error(`${method} ${path} answered ${response.status}: ${what}`);
  const [route, described] = describedPath(path) ?? [];
  const operation = described?.[(method === "HEAD" ? "GET" : method).toLowerCase()];
  if (!route || !described || !operation) {
    requireUndescribed(response, Boolean(described), method, fail);
    return response;
  }
  const answer = operation.responses[response.status];
  if (!answer) throw fail(`${route} does not describe this status`);
  for (const [name, { required, schema }] of Object.entries(answer.headers ?? {})) {
    const value = response.headers.get(name);
    if (value === null && required) throw fail(`it lacks the header ${name}`);
    if (value !== null) requireValid(schema, value, (errors) => fail(`its header ${name}: ${errors}`));
  }
  const type = response.headers.get("content-type")?.split(";")[0];
  const content = Object.entries(answer.content ?? {});
  if (content.length === 0) {
    if (type) throw fail(`it has a body of type ${type}, and none is described`);
    return response;
  }
  const [, body] = content.find(([name]) => name === type) ?? [];
  if (!body) throw fail(`it is of type ${type}, which is not described`);
  if (method === "HEAD") return response;
  const text = await response.clone().text();
  const value = type?.endsWith("json") && type !== mediaTypes.ndjson ? JSON.parse(text) : text;
  requireValid(body.schema, value, (errors) => fail(`its body ${errors}: ${text.slice(0, 300)}`));
  return response;
}

/** What has no description: OPTIONS, a method that is refused, a path that is nowhere, a file of a page. */
function requireUndescribed(
  response: Response,
  known: boolean,
  method: string,
  fail: (what: string) => Error,
): void {
  const { status, headers } = response;
  if (!headers.get("x-request-id")) throw fail("it lacks the header X-Request-Id");
  if (method === "OPTIONS" && status === 204) {
    if (!headers.get("allow")) throw fail("it lacks the header Allow");
  } else if (known) {
    if (status !== 405 && status < 500) throw fail("the method is not described");
    if (status === 405 && !headers.get("allow")) throw fail("it lacks the header Allow");
  } else if (status >= 400 && headers.get("content-type") !== "application/problem+json") {
    throw fail("it is no problem document");
  }
}

function describedPath(path: string): [string, Description["paths"][string]] | undefined {
  const bare = path.split("?")[0]?.replace(/(.)\/$/, "$1") ?? "";
  return (
    Object.entries(paths).find(([route]) => route === bare) ??
    Object.entries(paths).find(([route]) => new RegExp(`^${route.replace(/\{\w+\}/, "[^/]+")}$`).test(bare))
  );
}

function requireValid(schema: object, value: unknown, fail: (errors: string) => Error): void {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    compiled.set(schema, validate);
  }
  if (!validate(value)) throw fail(ajv.errorsText(validate.errors));
}
