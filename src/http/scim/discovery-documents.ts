import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import { scimLimits } from "../../contract/scim/scim.ts";
import type { FieldsSchema, SchemaNode } from "../../domain/schema/parse-schema.ts";
import { type Attribute, groupKind, type ResourceKind, userKind } from "../../scim/attributes.ts";
import { mappingRows } from "../../scim/mapping-rows.ts";
import type { Locate } from "./scim-parts.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";

/** A schema as `/Schemas` shows it, without the members that every document of discovery has. */
export interface DescribedSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly JsonObject[];
}

/** The schemas of the table, with every characteristic that RFC 7643, section 7, knows. */
export const knownSchemas: readonly DescribedSchema[] = [userKind, groupKind]
  .flatMap(({ core, extensions }) => [core, ...extensions])
  .map((schema) => ({ ...schema, attributes: schema.attributes.map(describeAttribute) }));

function describeAttribute(attribute: Attribute): JsonObject {
  const { canonicalValues, referenceTypes, subAttributes } = attribute;
  return {
    name: attribute.name,
    type: attribute.type,
    ...(subAttributes && { subAttributes: subAttributes.map(describeAttribute) }),
    multiValued: attribute.multiValued ?? false,
    description: attribute.description,
    required: attribute.required ?? false,
    ...(canonicalValues && { canonicalValues: [...canonicalValues] }),
    caseExact: attribute.caseExact ?? false,
    mutability: attribute.mutability ?? "readWrite",
    returned: attribute.returned ?? "default",
    uniqueness: attribute.uniqueness ?? "none",
    ...(referenceTypes && { referenceTypes: [...referenceTypes] }),
  };
}

/** The fields of users that are attributes of the table. */
const knownFields = new Set<string>(
  mappingRows(userKind).flatMap(({ record }) => (typeof record === "string" ? [] : record)),
);

/** The extension of the other custom fields that the schema for custom fields defines. Undefined if there are none. */
export function describeCustomFields({ properties, required }: FieldsSchema): DescribedSchema | undefined {
  const attributes = [...properties].flatMap(([name, node]) => {
    const described = knownFields.has(name) ? undefined : describeField(name, node, 0);
    const isRequired = required.includes(name) && !hasDefault(node);
    return described ? [{ ...described, required: isRequired }] : [];
  });
  if (attributes.length === 0) return undefined;
  return {
    id: userKind.customUrn,
    name: "RosterUser",
    description: "The custom fields of users that have no other attribute.",
    attributes,
  };
}

/** Whether an attribute of SCIM can have this name (RFC 7643, section 2.1). */
const ATTRIBUTE_NAME = /^[a-z][\w$-]*$/i;

const typeNames: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  integer: "integer",
  number: "decimal",
};

/** Undefined for a field that SCIM cannot describe: of any type, of several types, or with too many levels. */
function describeField(name: string, node: SchemaNode, level: number): JsonObject | undefined {
  if (typeof node === "boolean" || !ATTRIBUTE_NAME.test(name)) return undefined;
  const { items } = node;
  const type = findType(node);
  const isList = type === "array";
  if (isList && (!isObject(items) || findType(items) === "array")) return undefined;
  const value = isList && isObject(items) ? items : node;
  const valueType = findType(value) ?? "";
  const simple = value.format === "date-time" ? "dateTime" : typeNames[valueType];
  const parts = valueType === "object" && level === 0 ? describeParts(value) : [];
  if (simple === undefined && parts.length === 0) return undefined;
  const { title, description = title, enum: choices } = node;
  return {
    name,
    type: simple ?? "complex",
    ...(parts.length > 0 && { subAttributes: parts }),
    multiValued: isList,
    description: typeof description === "string" ? description : `The custom field ${name}.`,
    required: false,
    ...(isTextList(choices) && { canonicalValues: choices }),
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: node["x-unique"] === true ? "server" : "none",
  };
}

function describeParts({ properties, required }: { readonly [keyword: string]: Json }): JsonObject[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, node]) => {
    const described = isObject(node) ? describeField(name, node, 1) : undefined;
    return described ? [{ ...described, required: Array.isArray(required) && required.includes(name) }] : [];
  });
}

/** The only type that values have, beside null. */
function findType({ type }: { readonly [keyword: string]: Json }): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => each !== "null");
  return types.length === 1 && typeof types[0] === "string" ? types[0] : undefined;
}

function hasDefault(node: SchemaNode): boolean {
  return typeof node !== "boolean" && Object.hasOwn(node, "default");
}

function isTextList(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** A document of `/Schemas`. */
export function schemaDocument(schema: DescribedSchema, locate: Locate): object {
  return {
    schemas: [`${CORE}:Schema`],
    id: schema.id,
    name: schema.name,
    description: schema.description,
    attributes: schema.attributes,
    meta: { resourceType: "Schema", location: locate(`/Schemas/${schema.id}`) },
  };
}

/** A document of `/ResourceTypes`. `custom` is the extension of custom fields. */
export function resourceTypeDocument(
  { name, endpoint, core, extensions }: ResourceKind,
  custom: DescribedSchema | undefined,
  locate: Locate,
): { readonly id: string } {
  const needsCustom = custom?.attributes.some(({ required }) => required === true) ?? false;
  const schemaExtensions = [
    ...extensions.map(({ id }) => ({ schema: id, required: false })),
    ...(custom ? [{ schema: custom.id, required: needsCustom }] : []),
  ];
  const document = {
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    endpoint,
    description: core.description,
    schema: core.id,
    ...(schemaExtensions.length > 0 && { schemaExtensions }),
    meta: { resourceType: "ResourceType", location: locate(`/ResourceTypes/${name}`) },
  };
  return document;
}

/** The document of `/ServiceProviderConfig`. `documentation` is the URL of a page about the API. */
export function configDocument(documentation: string, locate: Locate): object {
  const { pageSize, bulkOperations, bulkBytes } = scimLimits;
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    documentationUri: documentation,
    patch: { supported: true },
    bulk: { supported: true, maxOperations: bulkOperations, maxPayloadSize: bulkBytes },
    filter: { supported: true, maxResults: pageSize.maximum },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: "index",
      defaultPageSize: pageSize.default,
      maxPageSize: pageSize.maximum,
    },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "API key",
        description: "An API key of Roster, sent as a bearer token.",
        specUri: "https://www.rfc-editor.org/rfc/rfc6750",
        documentationUri: documentation,
        primary: true,
      },
      {
        type: "oauth2",
        name: "Access token",
        description:
          "POST /oauth/token exchanges a key for an access token of one hour (client credentials).",
        specUri: "https://www.rfc-editor.org/rfc/rfc6749#section-4.4",
        documentationUri: documentation,
        primary: false,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: locate("/ServiceProviderConfig") },
  };
}
