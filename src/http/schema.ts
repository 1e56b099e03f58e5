import { bulkLimits } from "../contract/bulk/bulk.ts";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { FieldError } from "../contract/problems.ts";
import { requestCosts } from "../contract/request-costs.ts";
import { schemaLimits } from "../contract/schema/schema.ts";
import { andThen } from "../domain/maybe-promise.ts";
import { costOfSchema } from "../domain/request-cost.ts";
import type { StoredSchema } from "../domain/schema/schema-store.ts";
import { type CheckedSchema, type CheckResult, checkSchema, type Schemas } from "../domain/schema/schemas.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import type { PublicUrl } from "./access/public-url.ts";
import { mayReadUsers } from "./access/require-scope.ts";
import { type BodyReader, parseJson, requireContentType } from "./body-reader.ts";
import { compressibleResponse } from "./compression/compressible.ts";
import { parsePageQuery } from "./query/page-query.ts";
import { formatEtag, matchesEtag, parsePrecondition } from "./query/preconditions.ts";
import { invalidQuery, readQueryString } from "./query/query-string.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";
import type { Streams } from "./streams/streams.ts";

export interface SchemaRouteParts {
  readonly schemas: Schemas;
  readonly streams: Streams;
  readonly bodyReader: BodyReader;
  readonly publicUrl: PublicUrl;
  readonly limits: CallerLimits;
  /** The key or the address that a request comes from. */
  findOwner(context: RequestContext): string;
}

/** Registers the handlers of the schema for custom fields. */
export function serveSchema(router: Router, parts: SchemaRouteParts): void {
  const { schemas, bodyReader } = parts;

  router.serve(operations.readSchema, (context) =>
    andThen(schemas.current(), (stored) => {
      const etag = formatEtag(stored);
      return matchesEtag(context.request.headers.get("if-none-match"), etag)
        ? emptyResponse(context, 304, { etag })
        : jsonResponse(context, 200, stored.json, { etag });
    }),
  );

  router.serve(operations.replaceSchema, async (context) => {
    const { request } = context;
    const dryRun = readDryRun(context);
    requireContentType(request, operations.replaceSchema.request.types, {});
    const bytes = await bodyReader.read(context, Math.min(bodyReader.maxBytes, schemaLimits.bytes));
    parts.limits.charge(context, costOfSchema(bytes.length));
    const schema = await checkSchema(parseJson(bytes, "invalid-schema"), parts.findOwner(context));
    if (dryRun) return respondWithCheck(context, schema, parts);
    const namesUsers = mayReadUsers(context.caller);
    const stored = await schemas.put(originOf(context), schema, parsePrecondition(request), namesUsers);
    return jsonResponse(context, 200, stored.json, { etag: formatEtag(stored), vary: "Accept" });
  });

  router.serve(operations.deleteSchema, async (context) => {
    await schemas.remove(originOf(context), parsePrecondition(context.request));
    return emptyResponse(context, 204);
  });

  router.serve(operations.listSchemaVersions, async (context) => {
    const { after = Number.MAX_SAFE_INTEGER, limit } = parsePageQuery(context);
    const { versions, next } = await schemas.versions(after, limit);
    return respondWithPage(context, `[${versions.map(formatVersion).join()}]`, next, limit, parts);
  });

  router.serve(operations.listSchemaViolations, async (context) => {
    const { after = 0, limit } = parsePageQuery(context);
    parts.limits.charge(context, requestCosts.violations);
    const { violations, next } = await schemas.violations(after, limit);
    return respondWithPage(context, JSON.stringify(violations), next, limit, parts);
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
async function* formatLines(check: AsyncGenerator<unknown, CheckResult>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for (;;) {
    const { done, value } = await check.next();
    yield encoder.encode(`${JSON.stringify(value)}\n`);
    if (done) return;
  }
}

function respondWithPage(
  context: RequestContext,
  json: string,
  next: number | undefined,
  limit: number,
  { publicUrl }: SchemaRouteParts,
) {
  const headers: Record<string, string> = { vary: "Accept" };
  if (next !== undefined) {
    headers.link = `<${publicUrl.findBase(context)}${context.route}?limit=${limit}&after=${next}>; rel="next"`;
  }
  return compressibleResponse(context, Buffer.from(json), headers);
}

/** Formats a `SchemaVersion`. The stored JSON becomes part of it as it is. */
function formatVersion({ version, createdAt, json }: StoredSchema): string {
  return `{"version":${version},"createdAt":"${new Date(createdAt).toISOString()}","schema":${json}}`;
}

/** Throws `invalid-query`. */
function readDryRun({ url }: RequestContext): boolean {
  const parameters = new URLSearchParams(readQueryString(url));
  const errors: FieldError[] = [];
  for (const name of new Set(parameters.keys())) {
    if (name !== "dryRun") errors.push({ parameter: name, detail: "Unknown parameter. Use dryRun." });
  }
  const values = parameters.getAll("dryRun");
  if (values.length > 1 || !/^(true|false)?$/.test(values[0] ?? "")) {
    errors.push({ parameter: "dryRun", detail: "Enter true or false, once." });
  }
  if (errors.length > 0) throw invalidQuery(errors);
  return values[0] === "true";
}
