import Type from "typebox";
import type { Scope } from "../keys/key.ts";
import { mediaTypes, type Operation, type Parameter, type ResponseDescription } from "../operation.ts";
import { ifMatch, ifNoneMatch, readIfMatch } from "../parameters.ts";
import type { ProblemType } from "../problems.ts";
import { isId } from "../scalars.ts";
import { messageUrns, SCIM_PREFIX } from "./scim.ts";

/** The media types of bodies, the default first. */
const types = [mediaTypes.scim, mediaTypes.json];

/** Any query parameter may be there: handlers read those that they know, and ignore the others. */
const query = {
  in: "query",
  name: "parameters",
  description: "Parameters such as `attributes`. Unknown ones are ignored.",
  schema: Type.Object({}, { additionalProperties: true }),
  explode: true,
} as const satisfies Parameter;

const response = (description: string): ResponseDescription => {
  const [type, ...others] = types.map((each) => ({ type: each, schema: Type.Unknown(), examples: {} }));
  return { description, ...(type && { body: type }), alternatives: others };
};

const request = (examples: Record<string, unknown>) => ({
  types,
  schema: Type.Unknown(),
  examples,
  // Errors of SCIM have no other name for a body that is nested too deeply.
  invalid: "malformed-json" as const,
  // The limits of bodies depend on the resource.
  unread: true as const,
});

interface Resource {
  readonly name: "User" | "Group";
  readonly tag: "users" | "groups";
  /** Whether a text has the form of an id. */
  readonly isId: (text: string) => boolean;
  readonly idExample: string;
  readonly notFound: ProblemType;
  readonly reading: readonly [Scope];
  readonly writing: readonly [Scope, Scope];
  readonly invalid: ProblemType;
  readonly example: object;
}

/** The operations on the resources of one type. */
const operationsOn = ({ name, tag, reading, writing, notFound, invalid, ...more }: Resource) => {
  const id = {
    in: "path",
    name: "id",
    description: `The id of the ${name} resource. Ids are unique across resource types.`,
    schema: Type.String(),
    required: true,
    accepts: more.isId,
    correction: `No ${name} resource has this id.`,
    example: more.idExample,
    notFound,
  } as const satisfies Parameter;
  const path = `${SCIM_PREFIX}/${name}s`;
  const patch = {
    schemas: [messageUrns.patch],
    Operations: [{ op: "replace", path: "externalId", value: "example" }],
  };
  return {
    list: {
      id: `scimList${name}s`,
      method: "GET",
      path,
      tag,
      access: reading,
      summary: `List ${name} resources`,
      description: "Filters, sorts and pages as RFC 7644, section 3.4.2, describes.",
      parameters: [query],
      responses: { 200: response("A page of resources.") },
      problems: ["invalid-query"],
    },
    search: {
      id: `scimSearch${name}s`,
      method: "POST",
      path: `${path}/.search`,
      tag,
      access: reading,
      summary: `Search ${name} resources`,
      description: "The list, with its parameters in the body.",
      parameters: [],
      request: request({ page: { schemas: [messageUrns.search], count: 10 } }),
      responses: { 200: response("A page of resources.") },
      problems: ["malformed-json", "invalid-query"],
    },
    create: {
      id: `scimCreate${name}`,
      method: "POST",
      path,
      tag,
      access: writing,
      summary: `Create a ${name} resource`,
      description: "Never changes a resource that exists.",
      parameters: [query],
      request: request({ example: more.example }),
      responses: { 201: response("The new resource.") },
      problems: [invalid, "value-taken"],
    },
    read: {
      id: `scimRead${name}`,
      method: "GET",
      path: `${path}/{id}`,
      tag,
      access: reading,
      summary: `Read a ${name} resource`,
      description: "With `If-None-Match`, an unchanged resource gives 304 without a body.",
      parameters: [id, query, ifNoneMatch, readIfMatch],
      responses: { 200: response("The resource.") },
      problems: [notFound],
    },
    replace: {
      id: `scimReplace${name}`,
      method: "PUT",
      path: `${path}/{id}`,
      tag,
      access: writing,
      summary: `Replace a ${name} resource`,
      description: "Removes the attributes of the core and enterprise schemas that the body omits.",
      parameters: [id, query, ifMatch],
      request: request({ example: more.example }),
      responses: { 200: response("The resource.") },
      problems: [invalid, "value-taken"],
    },
    update: {
      id: `scimUpdate${name}`,
      method: "PATCH",
      path: `${path}/{id}`,
      tag,
      access: writing,
      summary: `Update a ${name} resource`,
      description: "Applies all operations of the body, or none.",
      parameters: [id, query, ifMatch],
      request: request({ patch }),
      responses: { 200: response("The resource.") },
      problems: [invalid, "value-taken"],
    },
    remove: {
      id: `scimDelete${name}`,
      method: "DELETE",
      path: `${path}/{id}`,
      tag,
      access: writing,
      summary: `Delete a ${name} resource`,
      description: "As in the API.",
      parameters: [id, ifMatch],
      responses: { 204: { description: "The resource was deleted." } },
      problems: [notFound],
    },
  } as const satisfies Record<string, Operation>;
};

/** Operations on users. */
export const scimUserOperations = operationsOn({
  name: "User",
  tag: "users",
  isId,
  idExample: "1",
  notFound: "user-not-found",
  reading: ["users:read"],
  writing: ["users:write", "users:read"],
  invalid: "invalid-user",
  example: { userName: "ada@example.com" },
});

/** Operations on groups. */
export const scimGroupOperations = operationsOn({
  name: "Group",
  tag: "groups",
  isId: (text) => text.startsWith("g") && isId(text.slice(1)),
  idExample: "g1",
  notFound: "group-not-found",
  reading: ["groups:read"],
  writing: ["groups:write", "groups:read"],
  invalid: "invalid-group",
  example: { displayName: "Sales" },
});

/** Operations on resources of any type. */
export const scimSharedOperations = {
  search: {
    id: "scimSearch",
    method: "POST",
    path: `${SCIM_PREFIX}/.search`,
    tag: "users",
    access: ["users:read", "groups:read"],
    summary: "Search all resources",
    description: "Lists users, then groups.",
    parameters: [],
    request: request({ page: { schemas: [messageUrns.search], count: 10 } }),
    responses: { 200: response("A page of resources.") },
    problems: ["malformed-json", "invalid-query"],
  },
  bulk: {
    id: "scimBulk",
    method: "POST",
    path: `${SCIM_PREFIX}/Bulk`,
    tag: "users",
    // Each operation of the body needs its own scopes.
    access: "authenticated",
    summary: "Send many operations",
    description: "Each operation succeeds or fails on its own.",
    parameters: [],
    request: request({ nothing: { schemas: [messageUrns.bulkRequest], Operations: [] } }),
    responses: { 200: response("The outcome of each operation.") },
    problems: ["malformed-json", "invalid-query", "too-large"],
    // A thousand writes, one after the other.
    takesLong: true,
  },
} as const satisfies Record<string, Operation>;

const discovery = <const Path extends string, const Parameters extends readonly Parameter[]>(
  id: string,
  path: Path,
  parameters: Parameters,
) =>
  ({
    id,
    method: "GET",
    path: `${SCIM_PREFIX}${path}`,
    tag: "service",
    access: "public",
    summary: "Describe this SCIM service",
    description: "RFC 7644, section 4.",
    parameters,
    responses: { 200: response("The description.") },
    problems: ["not-found"],
  }) as const satisfies Operation;

const name = {
  in: "path",
  name: "id",
  description: "The name of a resource type, or the URN of a schema.",
  schema: Type.String(),
  required: true,
  notFound: "not-found",
  example: "User",
} as const satisfies Parameter;

/** What the service says about itself. Anyone may read it. */
export const scimDiscoveryOperations = {
  config: discovery("scimReadConfig", "/ServiceProviderConfig", []),
  resourceTypes: discovery("scimListResourceTypes", "/ResourceTypes", []),
  resourceType: discovery("scimReadResourceType", "/ResourceTypes/{id}", [name]),
  schemas: discovery("scimListSchemas", "/Schemas", []),
  schema: discovery("scimReadSchema", "/Schemas/{id}", [name]),
} as const satisfies Record<string, Operation>;

/** The resource of the caller, in each method. There is none: a key is a program, not a user. */
export const scimSelfOperations: readonly Operation[] = (
  ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
).map((method) => ({
  id: `scim${method}Me`,
  method,
  path: `${SCIM_PREFIX}/Me`,
  tag: "users",
  access: "authenticated",
  summary: "Not implemented",
  description: "A key is a program, not a user.",
  parameters: [],
  responses: {},
  problems: ["not-implemented"],
}));

/** Every operation of SCIM. They are not in `operations`: the OpenAPI description does not have them. */
export const scimOperations: readonly Operation[] = [
  ...Object.values<Operation>(scimUserOperations),
  ...Object.values<Operation>(scimGroupOperations),
  ...Object.values<Operation>(scimSharedOperations),
  ...Object.values<Operation>(scimDiscoveryOperations),
  ...scimSelfOperations,
];
