import { Components } from "./components.ts";
import { rateHeaders } from "./headers.ts";
import type { JsonObject } from "./json-schema.ts";
import {
  type BodyDescription,
  type HeaderDescription,
  listRequestBodies,
  listScopes,
  type Operation,
  type Parameter,
  type RequiredScope,
} from "./operation.ts";
import { operations } from "./operations.ts";
import { isProblemType, type ProblemType, problems } from "./problems.ts";
import { type DescribedResponse, listBriefResponses, listResponses } from "./responses.ts";
import { addDescribedFields, type DescribedFields } from "./users/described-fields.ts";

export const apiInfo = {
  title: "Roster",
  summary: "A users directory for other programs.",
  description:
    "Roster stores users and groups of users. Bodies are JSON and errors are problem documents (RFC 9457). ETags protect against lost updates, and an Idempotency-Key makes a create safe to repeat. New versions only add to the API: ignore unknown fields.",
} as const;

/** The groups of operations, in the order in which the reference shows them. */
export const apiTags: readonly { readonly name: Operation["tag"]; readonly description: string }[] = [
  { name: "users", description: "User records." },
  { name: "groups", description: "Groups of users." },
  { name: "schema", description: "The schema for custom fields." },
  { name: "events", description: "Changes of users, groups, keys and webhooks." },
  { name: "webhooks", description: "URLs that receive events." },
  { name: "keys", description: "API keys and sessions." },
  { name: "service", description: "Health, metrics and documentation." },
];

/**
 * The OpenAPI 3.1 description, generated from the operations. `fields` are the custom fields of the schema. A brief
 * description is for generators: some of them make code for every header of every status of every operation.
 */
export function describeApi(version: string, fields?: DescribedFields, { brief = false } = {}): JsonObject {
  const components = new Components(fields);
  const paths: Record<string, JsonObject> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(
      operation,
      brief ? listBriefResponses(operation) : listResponses(operation),
      components,
    );
    paths[operation.path] = path;
  }
  return {
    openapi: "3.1.1",
    info: {
      ...apiInfo,
      version,
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "The operator of this service" },
    },
    servers: [{ url: "/", description: "This service" }],
    security: listCredentials(true),
    tags: apiTags,
    paths,
    components: {
      securitySchemes,
      ...components.parts,
      ...(fields && { schemas: addDescribedFields(components.parts.schemas, fields) }),
    },
  };
}

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API key, or an access token: `Authorization: Bearer roster_…`.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same API key in another header.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "roster_session_3000",
    description:
      "The cookie of a browser session, from `POST /api/session`. Its name ends with the port of the service. Over https, it begins with `__Host-`.",
  },
  sessionToken: {
    type: "apiKey",
    in: "header",
    name: "X-Session-Token",
    description: "The token of the browser session, from the body of `POST /api/session`.",
  },
};

function describeOperation(
  operation: Operation,
  responses: readonly DescribedResponse<number | "default">[],
  components: Components,
): JsonObject {
  const bodies = listRequestBodies(operation);
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    ...describeAccess(operation),
    // Generators cannot handle parameters of any name: clients send them by hand.
    parameters: operation.parameters
      .filter(({ explode }) => !explode)
      .map((parameter) => describeParameter(parameter, components)),
    ...(bodies.length > 0 && {
      requestBody: {
        description: [...new Set(bodies.map(({ schema }) => schema.description))].join("\n\n"),
        required: !operation.request?.optional,
        content: describeContent(bodies, components),
      },
    }),
    responses: Object.fromEntries(
      responses.map((response) => [response.status, describeResponse(response, components)]),
    ),
  };
}

function describeAccess(operation: Operation): JsonObject {
  if (operation.access === "public") return { security: [] };
  const [first, ...additional] = listScopes(operation);
  const [scope, alternative] = first?.anyOf ?? [];
  return {
    ...(operation.keyOnly && { security: listCredentials(false) }),
    ...(scope && { "x-required-scope": scope }),
    ...(alternative && { "x-alternative-scope": alternative }),
    ...(additional.length > 0 && { "x-additional-scopes": additional.map(describeAdditionalScope) }),
  };
}

function describeAdditionalScope({ anyOf, query, member }: RequiredScope): JsonObject {
  const condition = query ?? member;
  return { scope: anyOf[0], ...(condition !== undefined && { with: condition }) };
}

/** The empty requirement stands for a service that needs no key. */
function listCredentials(withSession: boolean): JsonObject[] {
  return [{ bearer: [] }, { apiKey: [] }, ...(withSession ? [{ session: [], sessionToken: [] }] : []), {}];
}

function describeParameter(parameter: Parameter, components: Components): JsonObject {
  const { name, description, schema, required, example, component } = parameter;
  const described = {
    in: parameter.in,
    name,
    description,
    ...(required && { required }),
    ...(example !== undefined && { example }),
    schema: components.schema(schema),
  };
  return component ? components.refer("parameters", component, described) : described;
}

/** All operations with the same problems in a response share it: also public ones, which have no rate limit of a key. */
function describeResponse(response: Omit<DescribedResponse, "status">, components: Components): JsonObject {
  const { description, headers, bodies, problems: types } = response;
  const component = response.component ?? types.map(pascalCase).join("Or");
  const described = {
    description,
    headers: describeHeaders(types.length > 0 ? { ...rateHeaders, ...headers } : headers, components),
    ...(bodies.length > 0 && { content: describeContent(bodies, components) }),
  };
  return component ? components.refer("responses", component, described) : described;
}

function describeContent(bodies: readonly BodyDescription[], components: Components): JsonObject {
  return Object.fromEntries(
    bodies.map(({ type, schema, examples }) => {
      const valid = components.validExamples(schema, examples);
      const described = {
        schema: components.schema(schema, Object.values(valid)[0]),
        ...(Object.keys(valid).length > 0 && { examples: describeExamples(valid, components) }),
      };
      return [type, described];
    }),
  );
}

function describeHeaders(
  headers: Readonly<Record<string, HeaderDescription>>,
  components: Components,
): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { component = name, description, schema, optional }]) => [
      name,
      components.refer("headers", component, {
        description,
        required: !optional,
        schema: components.schema(schema),
      }),
    ]),
  );
}

function describeExamples(examples: Readonly<Record<string, unknown>>, components: Components): JsonObject {
  return Object.fromEntries(
    Object.entries(examples).map(([label, value]) => {
      const name = label.replaceAll(" ", "-");
      return [
        name,
        isProblemType(name)
          ? components.refer("examples", name, { description: problems[name].title, value })
          : { value },
      ];
    }),
  );
}

/** `email-taken` as `EmailTaken` */
function pascalCase(type: ProblemType): string {
  return type.replace(/(^|-)(.)/g, (_, _dash, letter: string) => letter.toUpperCase());
}
