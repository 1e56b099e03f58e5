import { bulkLimits } from "../contract/bulk/bulk.ts";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { requestCosts } from "../contract/request-costs.ts";
import { schemaLimits } from "../contract/schema/schema.ts";
import type { SchemaCheck } from "../contract/schema/schema-schemas.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { costOfSchema } from "../domain/request-cost.ts";
import type { StoredSchema } from "../domain/schema/schema-store.ts";
import { type CheckedSchema, checkSchema, type Schemas } from "../domain/schema/schemas.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import { mayReadUsers } from "./access/require-scope.ts";
import { type BodyReader, parseJson } from "./body-reader.ts";
import type { Links } from "./links.ts";
import { formatEtag } from "./query/headers.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse, versionedResponse } from "./responses.ts";
import type { Router } from "./router.ts";
import type { Streams } from "./streams/streams.ts";

export interface SchemaRouteParts {
  readonly schemas: Schemas;
  readonly streams: Streams;
  readonly bodyReader: BodyReader;
  readonly links: Links;
  readonly limits: CallerLimits;
}

/** Registers the handlers of the schema for custom fields. */
export function serveSchema(router: Router, parts: SchemaRouteParts): void {
  const { schemas, bodyReader, links, limits } = parts;
  const { readSchema, replaceSchema, deleteSchema, listSchemaVersions, listSchemaViolations } = operations;

  router.serve(readSchema, (context, { ifNoneMatch }) =>
    andThen(schemas.current(), (stored) => versionedResponse(context, stored.json, stored, ifNoneMatch)),
  );

  router.serve(replaceSchema, async (context, { dryRun, precondition }) => {
    const bytes = await bodyReader.read(context, Math.min(bodyReader.maxBytes, schemaLimits.bytes));
    limits.charge(context, costOfSchema(bytes.length));
    const body = parseJson(bytes, replaceSchema.request.invalid);
    const schema = await checkSchema(body, limits.findOwner(context));
    if (dryRun) return respondWithCheck(context, schema, parts);
    const namesUsers = mayReadUsers(context.caller);
    const stored = await schemas.put(originOf(context), schema, precondition, namesUsers);
    return jsonResponse(context, 200, stored.json, { etag: formatEtag(stored), vary: "Accept" });
  });

  router.serve(deleteSchema, async (context, { precondition }) => {
    await schemas.remove(originOf(context), precondition);
    return emptyResponse(context, 204);
  });

  router.serve(listSchemaVersions, async (context, { limit, after = Number.MAX_SAFE_INTEGER }) => {
    const { versions, next } = await schemas.versions(after, limit);
    const body = Buffer.from(`[${versions.map(formatVersion).join()}]`);
    return links.respondWithPage(context, listSchemaVersions, { body, next: next?.toString() });
  });

  router.serve(listSchemaViolations, async (context, { limit, after = 0 }) => {
    limits.charge(context, requestCosts.violations);
    const { violations, next } = await schemas.violations(after, limit);
    const body = Buffer.from(JSON.stringify(violations));
    return links.respondWithPage(context, listSchemaViolations, { body, next: next?.toString() });
  });
}

async function respondWithCheck(
  context: RequestContext,
  schema: CheckedSchema,
  { schemas, streams, limits }: SchemaRouteParts,
): Promise<Response> {
  if (context.responseType === mediaTypes.ndjson) {
    return streams.respondWithList(context, mediaTypes.ndjson, {}, (signal, meter) =>
      formatLines(schemas.check(schema, signal, meter)),
    );
  }
  const { signal } = context.request;
  const meter = limits.createMeter(context, bulkLimits.pageUsers, signal);
  const check = schemas.check(schema, signal, meter);
  let step = await check.next();
  while (!step.done) step = await check.next();
  return jsonResponse(context, 200, JSON.stringify(step.value), { vary: "Accept" });
}

/** A line for each step, and a last one with the result. */
async function* formatLines(check: AsyncGenerator<unknown, SchemaCheck>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for (;;) {
    const { done, value } = await check.next();
    yield encoder.encode(`${JSON.stringify(value)}\n`);
    if (done) return;
  }
}

/** Formats a `SchemaVersion`. The stored JSON becomes part of it as it is. */
function formatVersion({ version, createdAt, json }: StoredSchema): string {
  return `{"version":${version},"createdAt":"${new Date(createdAt).toISOString()}","schema":${json}}`;
}
