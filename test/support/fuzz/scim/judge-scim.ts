import { isObject, type Json, type JsonObject } from "../../../../src/contract/json.ts";
import { mediaTypes } from "../../../../src/contract/operation.ts";
import { messageUrns, SCIM_PREFIX } from "../../../../src/contract/scim/scim.ts";
import { isSecretName } from "../../../../src/scim/attribute-names.ts";
import { groupKind, type ResourceKind, userKind } from "../../../../src/scim/attributes.ts";
import type { JudgedResponse } from "../judged-response.ts";
import type { FuzzRequest } from "../requests.ts";
import { fuzzedOperation, type ScimAnswer } from "./operations.ts";

/** The statuses of errors with a `scimType` (RFC 7644, section 3.12; RFC 9865, section 2). */
const scimTypes: Readonly<Record<string, number>> = {
  ...{ invalidFilter: 400, tooMany: 400, mutability: 400, invalidSyntax: 400, invalidPath: 400 },
  ...{ noTarget: 400, invalidValue: 400, invalidVers: 400, uniqueness: 409, sensitive: 403 },
  ...{ invalidCursor: 400, expiredCursor: 400, invalidCount: 400 },
};

const types: readonly string[] = [mediaTypes.scim, mediaTypes.json];

/** Finds what is wrong with a response below the prefix of SCIM. Without the request, less is known of what it must be. */
export function judgeScim(response: JudgedResponse, request: FuzzRequest | undefined): string[] {
  const { status, text, type } = response;
  const isEmpty = text === "";
  if (isEmpty && status < 400) return [];
  if (!types.includes(type)) return [`a body of type ${type} from SCIM`];
  if (isEmpty)
    return request === undefined || request.method === "HEAD" ? [] : ["an error without a document"];
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) return ["the document is not an object"];
  if (status >= 400) return judgeError(document, status);
  return [...findForbidden(document, ""), ...judgeAnswer(document, response, request)];
}

/** An error, of a response or of an operation of a bulk response. */
function judgeError(
  { schemas, status, scimType, detail, ...others }: JsonObject,
  expected: number,
): string[] {
  const found: string[] = [];
  if (!Bun.deepEquals(schemas, [messageUrns.error])) found.push("an error without the schema of errors");
  if (status !== String(expected)) found.push(`an error with status ${JSON.stringify(status)}`);
  if (scimType !== undefined && (typeof scimType !== "string" || scimTypes[scimType] !== expected))
    found.push(`an error with scimType ${JSON.stringify(scimType)}`);
  if (typeof detail !== "string" || detail.trim() === "") found.push("an error without a detail");
  if (Object.keys(others).length > 0) found.push(`an error with ${Object.keys(others)}`);
  return found;
}

/** Values that no document has: nulls, and members whose names say that they are credentials. */
function findForbidden(value: Json, path: string): string[] {
  if (value === null) return [`null at ${path}`];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, each]) =>
    !Array.isArray(value) && isSecretName(name)
      ? [`a credential at ${path}/${name}`]
      : findForbidden(each, `${path}/${name}`),
  );
}

function judgeAnswer(
  document: JsonObject,
  response: JudgedResponse,
  request: FuzzRequest | undefined,
): string[] {
  const answer = request?.operation ? fuzzedOperation(request.operation).answer : guessAnswer(document);
  const isWhole = request !== undefined && !/attributes/i.test(request.path);
  switch (answer) {
    case "User":
    case "Group":
      return [
        ...judgeResource(document, answer === "User" ? userKind : groupKind, isWhole),
        ...judgeHeaders(document, response),
      ];
    case "list":
      return judgeList(document, isWhole && request?.method === "GET");
    case "bulk":
      return judgeBulk(document);
    case "discovery":
      return judgeDiscovery(document);
    case "nothing":
      return ["a document where there is none"];
  }
}

function guessAnswer({ schemas }: JsonObject): ScimAnswer {
  const has = (urn: string) => Array.isArray(schemas) && schemas.includes(urn);
  if (has(messageUrns.list)) return "list";
  if (has(messageUrns.bulkResponse)) return "bulk";
  if (has(userKind.core.id)) return "User";
  return has(groupKind.core.id) ? "Group" : "discovery";
}

/** `isWhole` says that the caller has not chosen the attributes. */
function judgeResource(resource: JsonObject, kind: ResourceKind, isWhole: boolean): string[] {
  const found: string[] = [];
  const { id, schemas, meta } = resource;
  const urns = Object.keys(resource).filter((name) => /^urn:/i.test(name));
  const expected = [kind.core.id, ...urns];
  if (!Array.isArray(schemas) || expected.some((urn) => !schemas.includes(urn)))
    found.push(`a ${kind.name} with the schemas ${JSON.stringify(schemas)}`);
  const idPattern = kind === userKind ? /^[1-9]\d*$/ : /^g[1-9]\d*$/;
  if (typeof id !== "string" || !idPattern.test(id))
    found.push(`a ${kind.name} with the id ${JSON.stringify(id)}`);
  const name = kind === userKind ? resource.userName : resource.displayName;
  if (isWhole && (typeof name !== "string" || name === "")) found.push(`a ${kind.name} without a name`);
  if (isWhole || meta !== undefined) found.push(...judgeMeta(meta, `${kind.endpoint}/${id}`, isWhole));
  return found;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const VERSION = /^W\/"[1-9]\d*"$/;

function judgeMeta(meta: Json | undefined, path: string, isWhole: boolean): string[] {
  if (!isObject(meta)) return [`a resource without meta`];
  const rules: Readonly<Record<string, (text: string) => boolean>> = {
    resourceType: (text) => text === "User" || text === "Group",
    created: (text) => TIME.test(text),
    lastModified: (text) => TIME.test(text),
    location: (text) => text.endsWith(SCIM_PREFIX + path),
    version: (text) => VERSION.test(text),
  };
  return Object.entries(rules).flatMap(([name, isValid]) => {
    const value = meta[name];
    if (value === undefined && !isWhole) return [];
    return typeof value === "string" && isValid(value) ? [] : [`meta.${name} is ${JSON.stringify(value)}`];
  });
}

/** A resource and its headers say the same. */
function judgeHeaders({ meta }: JsonObject, { status, header }: JudgedResponse): string[] {
  const { version, location } = isObject(meta) ? meta : {};
  const found: string[] = [];
  const etag = header("etag");
  if (etag === undefined) found.push("a resource without ETag");
  else if (version !== undefined && version !== etag) found.push(`version ${version} with the ETag ${etag}`);
  const sent = header("location");
  if (status === 201 && (sent === undefined || (location !== undefined && location !== sent)))
    found.push(`location ${location} with the Location ${sent}`);
  return found;
}

function judgeList(list: JsonObject, isWhole: boolean): string[] {
  const { schemas, Resources, totalResults, itemsPerPage, startIndex = 1, nextCursor = "x" } = list;
  if (!Bun.deepEquals(schemas, [messageUrns.list])) return ["a list without the schema of lists"];
  if (!Array.isArray(Resources)) return ["a list without Resources"];
  const found: string[] = [];
  const size = Resources.length;
  if (itemsPerPage !== size) found.push(`itemsPerPage ${itemsPerPage} of ${size} resources`);
  if (typeof startIndex !== "number" || startIndex < 1) found.push(`startIndex ${startIndex}`);
  // What was on earlier pages may be deleted by now, so the page can reach beyond the total.
  if (typeof totalResults !== "number" || !Number.isInteger(totalResults) || totalResults < size)
    found.push(`totalResults ${totalResults} of ${size} resources`);
  if (typeof nextCursor !== "string" || nextCursor === "")
    found.push(`nextCursor ${JSON.stringify(nextCursor)}`);
  if (new Set(Resources.map((each) => (isObject(each) ? each.id : each))).size < size)
    found.push("a list that has a resource twice");
  for (const each of Resources) {
    if (!isObject(each)) found.push("a list of other things than resources");
    else if (guessAnswer(each) === "User") found.push(...judgeResource(each, userKind, isWhole));
    else if (guessAnswer(each) === "Group") found.push(...judgeResource(each, groupKind, isWhole));
    else found.push(...judgeDiscovery(each));
  }
  return found;
}

function judgeDiscovery({ schemas, meta }: JsonObject): string[] {
  const isKnown =
    Array.isArray(schemas) && schemas.every((urn) => /^urn:ietf:params:scim:schemas:/.test(String(urn)));
  if (!isKnown || schemas.length === 0) return [`a document with the schemas ${JSON.stringify(schemas)}`];
  return isObject(meta) && String(meta.location).includes(SCIM_PREFIX)
    ? []
    : ["a document without meta.location"];
}

const methods: readonly unknown[] = ["POST", "PUT", "PATCH", "DELETE"];

function judgeBulk({ schemas, Operations }: JsonObject): string[] {
  if (!Bun.deepEquals(schemas, [messageUrns.bulkResponse])) return ["a bulk response without its schema"];
  if (!Array.isArray(Operations)) return ["a bulk response without Operations"];
  return Operations.flatMap((each) =>
    isObject(each) ? judgeOutcome(each) : ["an outcome that is no object"],
  );
}

function judgeOutcome({ method, status, location, version, response }: JsonObject): string[] {
  if (typeof status !== "string" || !/^[245]\d\d$/.test(status)) return [`an outcome with status ${status}`];
  if (status === "500") return ["an outcome with an internal error"];
  if (Number(status) >= 400)
    return isObject(response) ? judgeError(response, Number(status)) : ["a failed outcome without an error"];
  const found: string[] = [];
  if (!methods.includes(method)) found.push(`an outcome of the method ${JSON.stringify(method)}`);
  if (typeof location !== "string" || !location.includes(`${SCIM_PREFIX}/`))
    found.push("an outcome without location");
  if (method !== "DELETE" && !VERSION.test(String(version))) found.push(`an outcome with version ${version}`);
  return found;
}
