import { accessTokenOperations } from "../../../src/contract/keys/access-token-operations.ts";
import { listRequestBodies, type Operation, type Parameter } from "../../../src/contract/operation.ts";
import { operations } from "../../../src/contract/operations.ts";
import { problems } from "../../../src/contract/problems.ts";
import { scimOperations } from "../../../src/contract/scim/scim-operations.ts";
import { apiJson, csvBody, encodeBody, jsonBody, ndjsonBody } from "./bodies.ts";
import { address, createHead, type Header } from "./headers.ts";
import { oddNumber, oddText, toBytes } from "./odd-text.ts";
import { PLANTED_SECRET, withoutPlanted } from "./planted-secret.ts";
import { queryValue } from "./queries.ts";
import type { Random } from "./random.ts";
import { fuzzedOperation } from "./scim/operations.ts";
import { scimParameters } from "./scim/queries.ts";
import { groupId, pickFrom, spell, userId } from "./scim/resources.ts";
import type { FuzzTarget } from "./target.ts";
import { createTokenRequest } from "./token-requests.ts";

/** A request in the form that RFC 9112 requires. Its content may be invalid. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The whole request, one character per byte. */
  readonly text: string;
  /** The operation that the method and the path stand for. */
  readonly operation: Operation | undefined;
  /** Whether the operation needs a caller, and the request has none that the service knows. */
  readonly isAnonymous: boolean;
  /** Whether the connection ends with the response. */
  readonly closes: boolean;
}

const apiOperations: readonly Operation[] = Object.values(operations);
const tokenOperations: readonly Operation[] = Object.values(accessTokenOperations);

/** Every operation that the service has. */
export const allOperations: readonly Operation[] = [...apiOperations, ...scimOperations, ...tokenOperations];

const scimIds = new Set(scimOperations.map(({ id }) => id));
const tokenIds = new Set(tokenOperations.map(({ id }) => id));

const otherPaths = [
  "/",
  "/scim",
  "/scim/v1/Users",
  "/scim/v2",
  "/scim/v2/",
  "/SCIM/v2/Users",
  "/scim/v2/Nothing",
  "/scim/v2/Users/1/members",
  "/scim/v2/Groups/g1/members/1",
  "/scim/v2//Users",
  "/scim/v2/%55sers",
  "/scim/v2/Users%2F1",
  "/scim/v2/../v2/Users",
  "/scim/v2/.search/",
  "/scim/v2/Bulk/1",
  "/scim/v2/Me/",
  "/scim/v2users",
  "/oauth",
  "/oauth/token/",
  "/oauth/authorize",
  "/users",
  "/users/1",
  "/import",
  "/keys",
  "/favicon.ico",
  "/robots.txt",
  "/api",
  "/api/",
  "/api/users/1/",
  "/api/users/1/2",
  "/api//users",
  "/api/%75sers",
  "/api/users%2F1",
  "/api/../api/users",
  "/api/./users",
  "//example.com/api/users",
  "/console/../../etc/passwd",
  "/assets/x.js",
  "/problems/../docs",
  "/%",
  "/%00",
  "/%ff",
  "/.well-known/security.txt",
] as const;

/** Bun rejects longer request lines and headers. */
const MAX_PATH_CHARACTERS = 6000;

export function createRequest(random: Random, target: FuzzTarget): FuzzRequest {
  const chosen = chooseOperation(random);
  const method = random.chance(0.93) ? changeMethod(random, chosen.method) : anyMethod(random);
  const isOperation = random.chance(0.96);
  const bare = isOperation ? fillPath(random, chosen) : random.pick(otherPaths);
  const path = (bare + createQuery(random, chosen)).slice(0, MAX_PATH_CHARACTERS);
  const version = random.chance(0.1) ? "HTTP/1.0" : "HTTP/1.1";
  const { headers, credential } = createHead(random, target, version);
  const hasBody = chosen.request !== undefined ? random.chance(0.97) : random.chance(0.05);
  const framing = hasBody
    ? createBody(random, { operation: chosen, path: bare, target, version }, headers)
    : "";
  const closes =
    version === "HTTP/1.0" ||
    headers.some(([name, value]) => name.toLowerCase() === "connection" && value.toLowerCase() === "close");
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const isOfMethod = method === chosen.method || (method === "HEAD" && chosen.method === "GET");
  const text = `${method} ${path} ${version}\r\n${lines.join("")}${framing || "\r\n"}`;
  return {
    method,
    path,
    headers,
    operation: isOfMethod && hasPath(chosen, bare) ? chosen : undefined,
    isAnonymous: target.credentials.length > 0 && chosen.access !== "public" && !credential?.isActive,
    // Whoever reads lines of JSON as CSV takes a password for the name of a column.
    text: /[?&]format=/.test(path) ? withoutPlanted(text) : text,
    closes,
  };
}

/** Writes have most to go wrong, and a deletion leaves less for the others. */
function weightOf({ request, path, tag }: Operation): number {
  if (request) return 8;
  return tag !== "service" && path.includes("{id}") ? 2 : 1;
}

/** Users and SCIM are the heart of the service. */
const parts = {
  users: apiOperations.filter(({ tag }) => tag === "users"),
  all: allOperations,
  scim: scimOperations.flatMap((operation) => Array<Operation>(weightOf(operation)).fill(operation)),
  tokens: tokenOperations,
};

const chooseOperation = (random: Random): Operation =>
  pickFrom(random, parts[random.weighted({ users: 40, all: 20, scim: 34, tokens: 6 })]);

/** Whether a path is that of an operation: a parameter can have a value that makes it another one, such as `..`. */
function hasPath({ path }: Operation, sent: string): boolean {
  const pattern = path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${pattern}/?$`, "i").test(URL.parse(`http://localhost${sent}`)?.pathname ?? sent);
}

const anyMethod = (random: Random) =>
  random.pick(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const changeMethod = (random: Random, method: string) =>
  method === "GET" && random.chance(0.08) ? "HEAD" : method;

function fillPath(random: Random, operation: Operation): string {
  const { path } = operation;
  if (scimIds.has(operation.id)) return fillScimPath(random, operation);
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(0.1)) return percentEncode(random, oddText(random));
    if (name !== "type")
      return random.chance(0.8) ? String(random.between(1, 200)) : encodeURI(oddNumber(random));
    const types = Object.keys(problems);
    return types[random.below(types.length)] ?? "";
  });
}

/** Paths of SCIM match in any case. Ids of users and groups differ. */
function fillScimPath(random: Random, { path, parameters, tag }: Operation): string {
  const [prefix = "", rest = ""] = path.split(/(?<=\/v2)(.*)/);
  const filled = spell(random, rest).replace(/\{id\}/i, () => {
    if (random.chance(0.06)) return percentEncode(random, oddText(random));
    if (tag === "users") return encodeURI(userId(random));
    if (tag === "groups") return encodeURI(groupId(random));
    const [id] = parameters;
    const ids = [String(id?.example), "Group", "urn:ietf:params:scim:schemas:core:2.0:User"] as const;
    return random.pick(ids);
  });
  return prefix + filled;
}

function percentEncode(random: Random, text: string): string {
  if (random.chance(0.8)) return encodeURIComponent(text.toWellFormed());
  // Without encoding, but for what would end the request line.
  return toBytes(text).replace(/[^\x21-\x7e\x80-\xff]|[#?]/g, "");
}

const otherParameters = [
  "department",
  "department",
  "department",
  "limit",
  "after",
  "offset",
  "sort",
  "q",
  "count",
  "level",
  "email",
  "name",
  "id",
  "createdAt",
  "page",
  "order",
  "LIMIT",
  "filter",
  "format",
  "fields",
] as const;

function createQuery(random: Random, operation: Operation): string {
  const own = operation.parameters.filter((each) => each.in === "query");
  if (scimIds.has(operation.id)) return random.chance(own.length > 0 ? 0.7 : 0.05) ? scimQuery(random) : "";
  if (tokenIds.has(operation.id)) return random.chance(0.03) ? `?client_secret=${PLANTED_SECRET}` : "";
  if (!random.chance(own.length > 0 ? 0.8 : 0.06)) return random.chance(0.02) ? "?" : "";
  if (isRecordList(operation) && random.chance(0.4)) return validQuery(random);
  const pairs = random.several(1, random.chance(0.02) ? 40 : 4, () => {
    const described = own[random.below(own.length)];
    if (described && random.chance(0.7)) {
      return parameter(random, described.name, describedValue(random, described));
    }
    const name = random.chance(0.8) ? random.pick(otherParameters) : oddText(random);
    const value = random.chance(0.2) ? oddText(random) : queryValue(random, name);
    return random.chance(0.97) ? parameter(random, name, value) : percentEncode(random, name);
  });
  return `?${pairs.join(random.chance(0.97) ? "&" : random.pick([";", "&&", "&amp;"]))}`;
}

function describedValue(random: Random, { name, schema }: Parameter): string {
  if (random.chance(0.1)) return oddText(random);
  const { enum: choices } = schema;
  if (!Array.isArray(choices)) return queryValue(random, name);
  return String(choices[random.below(choices.length)]);
}

const parameter = (random: Random, name: string, value: string) =>
  `${percentEncode(random, name)}=${percentEncode(random, value)}`;

function isRecordList({ id }: Operation): boolean {
  return ["listUsers", "listGroups", "listMembers", "listUserGroups"].includes(id);
}

/** Some clients end URLs with `?` or `&`. */
function scimQuery(random: Random): string {
  const pairs = scimParameters(random).map(([name, value]) => parameter(random, name, value));
  return `?${pairs.join("&")}${random.chance(0.05) ? "&" : ""}`;
}

/** A query that finds several pages of users or groups. */
function validQuery(random: Random): string {
  const pairs = [parameter(random, "limit", String(random.between(1, 5)))];
  for (const name of ["department", "sort", "q", "filter", "fields", "count"]) {
    if (random.chance(0.5)) pairs.push(parameter(random, name, queryValue(random, name)));
  }
  return `?${pairs.join("&")}`;
}

/** What a body depends on. */
interface BodyPlace {
  readonly operation: Operation;
  readonly path: string;
  readonly target: FuzzTarget;
  readonly version: string;
}

/** Adds the headers of a body. Returns the body with its framing. */
function createBody(random: Random, place: BodyPlace, headers: Header[]): string {
  const types = listRequestBodies(place.operation).map(({ type }) => type);
  const usual = types[random.below(types.length)] ?? "application/json";
  const type = random.chance(0.93)
    ? usual
    : random.pick(["text/csv", "application/x-ndjson", "text/plain", "", "x/y"]);
  let body = bodyOfType(random, place, type, headers);
  if (random.chance(0.98))
    headers.push([
      "Content-Type",
      type + (random.chance(0.9) ? "" : random.pick(["; charset=utf-8", ";charset=x", ";"])),
    ]);
  if (random.chance(0.1)) {
    const encoded = encodeBody(random, withoutPlanted(body));
    headers.push(["Content-Encoding", encoded.encoding]);
    body = encoded.body;
  }
  if (random.chance(0.01)) headers.push(["Expect", "100-continue"]);
  if (place.version === "HTTP/1.0" || random.chance(0.75)) {
    headers.push(["Content-Length", String(body.length)]);
    return `\r\n${body}`;
  }
  headers.push(["Transfer-Encoding", "chunked"]);
  let chunks = "\r\n";
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + random.between(1, random.chance(0.1) ? 10 : 4000));
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return `${chunks}0\r\n\r\n`;
}

/** The body that fits an operation and a type. A client of OAuth can send its credentials as a header instead. */
function bodyOfType(
  random: Random,
  { operation, path, target }: BodyPlace,
  type: string,
  headers: Header[],
): string {
  if (type.includes("csv")) return csvBody(random);
  if (type.includes("ndjson")) return ndjsonBody(random, path);
  if (!tokenIds.has(operation.id)) {
    const own = scimIds.has(operation.id) ? fuzzedOperation(operation).body : undefined;
    const key = target.credentials[0]?.secret ?? "roster_x";
    return jsonBody(random, () => own?.(random) ?? apiJson(random, path, key));
  }
  const { authorization, body } = createTokenRequest(random, target.credentials);
  const others = headers.filter(([name]) => !/^(authorization|x-api-key|x-forwarded-for)$/i.test(name));
  const forwarded: Header[] = random.chance(0.8) ? [["X-Forwarded-For", address(random)]] : [];
  headers.splice(0, headers.length, ...others, ...forwarded);
  if (authorization !== undefined) headers.push(["Authorization", authorization]);
  return body;
}
