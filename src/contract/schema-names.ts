import { BulkChangeInput, BulkCount, BulkFormat, ConflictAction, GroupMatch } from "./bulk/bulk-schemas.ts";
import {
  Event,
  EventActor,
  EventChanges,
  EventRecord,
  EventSubject,
  EventType,
  FieldChange,
} from "./events/event-schemas.ts";
import { Group, GroupInput, GroupPatch, ListedGroup } from "./groups/group-schemas.ts";
import { ChangedMembers, MembersPatch } from "./groups/member-schemas.ts";
import type { JsonSchema } from "./json-schema.ts";
import {
  Authentication,
  CallerKey,
  CreatedKey,
  CreatedSession,
  Key,
  KeyInput,
  KeyUsage,
  RateLimit,
  RateLimitInput,
  Scope,
  Session,
  SessionInput,
} from "./keys/key-schemas.ts";
import { FieldError, ProblemDocument } from "./problem-schemas.ts";
import { FieldsSchema, SchemaVersion, SchemaViolation } from "./schema/schema-schemas.ts";
import { ApiDescription, Health } from "./service-operations.ts";
import {
  ComparedPlan,
  ListCondition,
  ListEstimates,
  ListExplanation,
  ListPlan,
  ListRound,
} from "./users/explanation-schemas.ts";
import { CustomField, FieldType } from "./users/field-schemas.ts";
import { DailyStats, DailyUsage, Stats, UsageHistory } from "./users/stats-schemas.ts";
import { DeletedUser, ListedUser, RestoreInput, User, UserInput, UserPatch } from "./users/user-schemas.ts";
import {
  AttemptHistory,
  AttemptsInHour,
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryRequest,
  DeliveryResponse,
  ReplayInput,
  ReplayRange,
  RequestHeaders,
  TestResult,
} from "./webhooks/delivery-schemas.ts";
import {
  DisabledReason,
  Webhook,
  WebhookInput,
  WebhookPatch,
  WebhookWithSecret,
} from "./webhooks/webhook-schemas.ts";

/**
 * Schemas that the description publishes under a name and refers to by it, in the order of the reference page. Generated
 * clients have a type for each. In Go, `NewX` is the constructor of `X`: no name begins with New.
 */
export const namedSchemas: readonly (readonly [name: string, schema: JsonSchema])[] = [
  ["User", User],
  ["ListedUser", ListedUser],
  ["ListExplanation", ListExplanation],
  ["ListPlan", ListPlan],
  ["ListEstimates", ListEstimates],
  ["ListCondition", ListCondition],
  ["ComparedPlan", ComparedPlan],
  ["ListRound", ListRound],
  ["DeletedUser", DeletedUser],
  ["RestoreInput", RestoreInput],
  ["UserInput", UserInput],
  ["UserPatch", UserPatch],
  ["BulkChange", BulkChangeInput],
  ["BulkCount", BulkCount],
  ["BulkFormat", BulkFormat],
  ["ConflictAction", ConflictAction],
  ["GroupMatch", GroupMatch],
  ["CustomField", CustomField],
  ["FieldType", FieldType],
  ["Stats", Stats],
  ["DailyStats", DailyStats],
  ["Group", Group],
  ["ListedGroup", ListedGroup],
  ["GroupInput", GroupInput],
  ["GroupPatch", GroupPatch],
  ["MembersPatch", MembersPatch],
  ["ChangedMembers", ChangedMembers],
  ["FieldsSchema", FieldsSchema],
  ["SchemaVersion", SchemaVersion],
  ["SchemaViolation", SchemaViolation],
  ["Event", Event],
  ["EventType", EventType],
  ["EventActor", EventActor],
  ["EventChanges", EventChanges],
  ["FieldChange", FieldChange],
  ["EventRecord", EventRecord],
  ["EventSubject", EventSubject],
  ["Webhook", Webhook],
  ["WebhookWithSecret", WebhookWithSecret],
  ["WebhookInput", WebhookInput],
  ["WebhookPatch", WebhookPatch],
  ["DisabledReason", DisabledReason],
  ["Delivery", Delivery],
  ["DeliveryAttempt", DeliveryAttempt],
  ["DeliveryDetails", DeliveryDetails],
  ["DeliveryRequest", DeliveryRequest],
  ["RequestHeaders", RequestHeaders],
  ["DeliveryResponse", DeliveryResponse],
  ["AttemptHistory", AttemptHistory],
  ["AttemptsInHour", AttemptsInHour],
  ["TestResult", TestResult],
  ["ReplayInput", ReplayInput],
  ["ReplayRange", ReplayRange],
  ["Key", Key],
  ["CreatedKey", CreatedKey],
  ["KeyInput", KeyInput],
  ["Scope", Scope],
  ["RateLimit", RateLimit],
  ["RateLimitInput", RateLimitInput],
  ["KeyUsage", KeyUsage],
  ["UsageHistory", UsageHistory],
  ["DailyUsage", DailyUsage],
  ["SessionInput", SessionInput],
  ["Session", Session],
  ["CreatedSession", CreatedSession],
  ["Authentication", Authentication],
  ["CallerKey", CallerKey],
  ["Problem", ProblemDocument],
  ["FieldError", FieldError],
  ["Health", Health],
  ["ApiDescription", ApiDescription],
];

const names = new Map(namedSchemas.map(([name, schema]) => [textWithoutDescription(schema), name]));

/** The name of a schema. A copy with another description has the same name. */
export function schemaName(schema: JsonSchema): string | undefined {
  return names.get(textWithoutDescription(schema));
}

function textWithoutDescription({ description, ...keywords }: JsonSchema): string {
  return JSON.stringify(keywords);
}
