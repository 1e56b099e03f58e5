/** Generates src/client/service-types.ts, what the service sends and accepts, from the schemas of the contract. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import Type from "typebox";
import {
  BulkFormat,
  BulkResult,
  ConflictAction,
  ImportLineResult,
} from "../src/contract/bulk/bulk-schemas.ts";
import { eventSubjectTypes } from "../src/contract/events/event.ts";
import { Event, EventActor, EventSubject, EventType } from "../src/contract/events/event-schemas.ts";
import { groupRecordFields } from "../src/contract/groups/group-fields.ts";
import { Group, GroupInput, GroupPatch } from "../src/contract/groups/group-schemas.ts";
import { ChangedMembers } from "../src/contract/groups/member-schemas.ts";
import type { JsonSchema } from "../src/contract/json-schema.ts";
import { CreatedKey, Key, KeyInput, RateLimit, Scope } from "../src/contract/keys/key-schemas.ts";
import { FieldError, ProblemDocument } from "../src/contract/problem-schemas.ts";
import {
  FieldsSchema,
  SchemaCheck,
  SchemaVersion,
  SchemaViolation,
} from "../src/contract/schema/schema-schemas.ts";
import {
  ComparedPlan,
  ListCondition,
  ListEstimates,
  ListExplanation,
  ListPlan,
  ListRound,
} from "../src/contract/users/explanation-schemas.ts";
import { CustomField, FieldType } from "../src/contract/users/field-schemas.ts";
import { Stats, UsageHistory } from "../src/contract/users/stats-schemas.ts";
import { columnFields, isManagedField } from "../src/contract/users/user-fields.ts";
import { DeletedUser, User, UserInput, UserPatch } from "../src/contract/users/user-schemas.ts";
import {
  AttemptHistory,
  AttemptsInHour,
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryRequest,
  DeliveryResponse,
  ReplayInput,
  TestResult,
} from "../src/contract/webhooks/delivery-schemas.ts";
import { Webhook, WebhookInput, WebhookWithSecret } from "../src/contract/webhooks/webhook-schemas.ts";

export const clientTypesPath = join(import.meta.dir, "../src/client/service-types.ts");

/** The contract has one body for new keys and for replacements, the client two. */
const { replaces, graceSeconds, ...newKeyFields } = KeyInput.properties;
const { else: newKey }: JsonSchema = KeyInput;

/** The body of a create or a replacement. */
const whole = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  description:
    "The whole record. The fields that the service adds are ignored, so you can send back a whole record.",
});

/** The types of the client, with their schemas. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  User,
  DeletedUser,
  UserInput: whole(UserInput),
  UserPatch,
  Group,
  GroupInput: whole(GroupInput),
  GroupPatch,
  ChangedMembers,
  SortField: Type.Enum([...columnFields], { description: "A field of every user that lists can sort by." }),
  ListExplanation,
  ListPlan,
  ListEstimates,
  ListCondition,
  ComparedPlan,
  ListRound,
  CustomField,
  FieldType,
  BulkFormat,
  ConflictAction,
  ChangedUser: BulkResult,
  CreatedLine: { ...ImportLineResult, description: "A line whose user was created, or existed." },
  FailedLine: {
    ...ImportLineResult,
    required: [...ImportLineResult.required, "problem"],
    description: "A line that failed.",
  },
  Stats,
  JsonSchema: FieldsSchema,
  SchemaVersion,
  SchemaViolation,
  SchemaCheck,
  EventType,
  EventTypeFilter: {
    anyOf: [EventType, Type.Enum(eventSubjectTypes.map((subject) => `${subject}.*`))],
    description: "A type of event, or all types of a subject.",
  },
  EventActor,
  EventSubject,
  ChangeEvent: Event,
  Webhook,
  WebhookWithSecret,
  WebhookInput,
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryRequest,
  DeliveryResponse,
  AttemptHistory,
  AttemptsInHour,
  WebhookTestResult: TestResult,
  ReplayRange: ReplayInput,
  Key,
  CreatedKey,
  KeyInput: { ...KeyInput, properties: newKeyFields, required: newKey?.required },
  KeyReplacement: {
    ...KeyInput,
    properties: { ...newKeyFields, graceSeconds },
    required: ["graceSeconds"],
    description: "How a key's successor differs from the key.",
  },
  Scope,
  RateLimit,
  UsageHistory,
  Problem: ProblemDocument,
  FieldError,
};

/** Types that extend another one. */
const bases: Readonly<Record<string, string>> = {
  DeletedUser: "User",
  WebhookWithSecret: "Webhook",
  DeliveryDetails: "Delivery",
  CreatedKey: "Key",
  KeyReplacement: "KeyInput",
};

const typeParameters: Readonly<Record<string, string>> = {
  ChangeEvent: '<Type extends EventType, Subject extends EventSubject["type"], Version, Item>',
};

const anyObject = "{ [name: string]: Json }";

/** Fields that have another type than the schema says. */
const fieldTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  User: { scim: anyObject },
  UserInput: { scim: `${anyObject} | null` },
  UserPatch: { scim: `${anyObject} | null` },
  Group: { scim: anyObject },
  GroupInput: { scim: `${anyObject} | null` },
  GroupPatch: { scim: `${anyObject} | null` },
  CreatedLine: { problem: "never" },
  FailedLine: { id: "never" },
  ChangeEvent: {
    type: "Type",
    subject: "{ readonly type: Subject; readonly id: number }",
    version: "Version",
    record: "Item",
  },
  WebhookInput: { types: 'readonly (EventTypeFilter | "*")[]' },
  // Later versions add types of events and subjects.
  Delivery: { subject: "{ readonly type: string; readonly id: number }" },
  ReplayRange: { from: "string | Date", to: "string | Date" },
};

const names = new Map(Object.entries(schemas).map(([name, schema]) => [identify(schema), name]));

export async function generateClientTypes(): Promise<string> {
  const text = [
    "// Generated from the schemas in src/contract by `npm run docs`. Change the schemas instead.",
    'import type { CustomFields, Json } from "./custom-fields.ts";',
    ...Object.entries(schemas).map(
      ([name, schema]) => `${writeComment(schema)}export ${declare(name, schema)}`,
    ),
  ].join("\n\n");
  const biome = join(import.meta.dir, "../node_modules/.bin/biome");
  return $`${biome} format --stdin-file-path=${clientTypesPath} < ${new Response(text)}`.text();
}

function declare(name: string, schema: JsonSchema): string {
  if (schema.type !== "object") return `type ${name} = ${writeType(schema)};`;
  const base = bases[name];
  const { properties = {}, required = [] } = schemas[base ?? ""] ?? {};
  const members = writeMembers(schema, fieldTypes[name], Object.keys(properties));
  if (!hasCustomFields(schema)) {
    const isPartial = required.some((field) => !schema.required?.includes(field));
    const heritage = base ? `extends ${isPartial ? `Partial<${base}>` : base} ` : "";
    return `interface ${name}${typeParameters[name] ?? ""} ${heritage}${members}`;
  }
  const anyCustom = schema.required ? "Custom" : "{ [Field in keyof Custom]?: Custom[Field] | null }";
  return `type ${name}<Custom = CustomFields> = ${base ? `${base}<Custom>` : anyCustom} & ${members};`;
}

function writeMembers(
  schema: JsonSchema,
  types: Readonly<Record<string, string>> = {},
  inherited: readonly string[] = [],
): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).flatMap(([field, value]) => {
    const type = types[field] ?? nameType(value);
    const managed = isManagedField(field) || groupRecordFields.isManaged(field);
    const written = hasCustomFields(schema) && !managed;
    // Requests may contain the other fields of a user, but they are ignored.
    const ignored = hasCustomFields(schema) && !written && type === "unknown";
    if (ignored || inherited.includes(field)) return [];
    const comment = type === "never" || type === sharedName(value) ? "" : writeComment(value);
    const optional = required.includes(field) ? "" : "?";
    return `${comment}${written ? "" : "readonly "}${field}${optional}: ${type};`;
  });
  if (additionalProperties && !hasCustomFields(schema)) {
    const type = additionalProperties === true ? "unknown" : nameType(additionalProperties);
    members.push(`readonly [name: string]: ${type};`);
  }
  return `{\n${members.join("\n")}\n}`;
}

/** Whether the schema is that of a user or a group: with custom fields beside its own. */
function hasCustomFields({ properties = {}, additionalProperties }: JsonSchema): boolean {
  return Object.keys(properties).length > 0 && Boolean(additionalProperties);
}

/** The name of the schema's type, or the type itself. */
function nameType(schema: JsonSchema): string {
  return names.get(identify(schema)) ?? writeType(schema);
}

/** The name of the schema's type, if the comment of the type describes the schema too. */
function sharedName(schema: JsonSchema): string | undefined {
  const name = names.get(identify(schema));
  return name !== undefined && schemas[name]?.description === schema.description ? name : undefined;
}

function writeType({ enum: values, anyOf, items, type, pattern = "", ...schema }: JsonSchema): string {
  // A pattern such as ^(waiting|delivered)$ lists the values.
  const [, listed] = /^\^\(([a-z|]+)\)\$$/.exec(pattern) ?? [];
  const allowed = values ?? listed?.split("|");
  if (allowed) return allowed.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf) return anyOf.map(nameType).join(" | ");
  if (items) return `readonly (${nameType(items)})[]`;
  if (type === "object") return writeMembers(schema);
  return type === "integer" ? "number" : (type ?? "unknown");
}

/** The description, and for a list of texts that of a text. The type says what is required. */
function writeComment({ description, items }: JsonSchema): string {
  const texts = [description, items?.type === "string" && !names.has(identify(items)) && items.description];
  const text = texts
    .filter(Boolean)
    .join(" ")
    .replace(/ Required [^.]*\./, "");
  return text && `/** ${text} */\n`;
}

/** The same text for schemas with the same type. */
function identify({ description, additionalProperties, ...keywords }: JsonSchema): string {
  return JSON.stringify({ ...keywords, ...(additionalProperties && { additionalProperties }) });
}

if (import.meta.main) writeFileSync(clientTypesPath, await generateClientTypes());
