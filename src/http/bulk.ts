import { type BulkFormat, bulkLimits, INVALID_MATCH } from "../contract/bulk/bulk.ts";
import type { BulkResult, ImportLineResult } from "../contract/bulk/bulk-schemas.ts";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { Bulk } from "../domain/bulk/bulk.ts";
import { checkBulk } from "../domain/bulk/check-bulk.ts";
import type { RowOutcome } from "../domain/bulk/imports.ts";
import { parseBulk } from "../domain/bulk/parse-bulk.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import type { ProblemData } from "../domain/problem-error.ts";
import { costOfFilter } from "../domain/request-cost.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import { isMembershipChange } from "../domain/users/user-store.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import { mayReadUsers, requireForMember, requireForMemberships } from "./access/require-scope.ts";
import { type BodyReader, readChunks } from "./body-reader.ts";
import { decompress, readContentCoding } from "./compression/request-body.ts";
import { problemDocument } from "./problem-response.ts";
import { invalidQuery } from "./query/query-string.ts";
import { userQueries } from "./query/user-queries.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";
import type { Stream } from "./streams/stream.ts";
import type { Streams } from "./streams/streams.ts";

/** A caller may send the whole body before it reads the response: the outcomes of a million lines must fit. */
const MAX_UNREAD_OUTCOME_BYTES = 64 * 1_048_576;

interface BulkParts {
  readonly bulk: Bulk;
  readonly streams: Streams;
  readonly bodyReader: BodyReader;
  readonly feed: Pick<EventFeed, "lastId">;
  readonly limits: CallerLimits;
}

/** Registers the handlers of imports, exports and bulk changes. */
export function serveBulk(router: Router, parts: BulkParts): void {
  const { bulk, streams, bodyReader, feed, limits } = parts;
  const { exportUsers, importUsers, bulkUsers } = operations;
  const respond = <Outcome>(
    context: RequestContext,
    stream: Stream,
    outcomes: AsyncGenerator<Outcome[], void>,
    format: (outcome: Outcome) => string,
  ) =>
    streams.respond(context, stream, mediaTypes.ndjson, encodeOutcomes(outcomes, format), {
      maxUnreadBytes: MAX_UNREAD_OUTCOME_BYTES,
    });

  router.serve(exportUsers, (context, { queryString }) => {
    const query = userQueries.parseExport(queryString);
    requireForMemberships(context, query);
    limits.charge(context, costOfFilter(query.expression));
    const { responseType = mediaTypes.ndjson } = context;
    const format = formatOf(responseType);
    const headers = {
      "content-disposition": `attachment; filename="users.${format}"`,
      // An event that is not newer than a list that begins now.
      "roster-event": feed.lastId,
    };
    return streams.respondWithList(context, responseType, headers, (signal, meter) =>
      bulk.export(format, query, signal, meter),
    );
  });

  router.serve(importUsers, async (context, { bodyType, idempotencyKey, dryRun, onConflict, match }) => {
    const options = { onConflict, match };
    const by = originOf(context);
    const readRows = await bulk.createRowReader(formatOf(bodyType), options, bodyReader.maxBytes);
    if (!readRows) throw invalidQuery([{ parameter: "match", detail: INVALID_MATCH }]);
    const { stream, meter } = streams.open(context, bulkLimits.chunkLines);
    const rows = readRows(readBody(context.request, stream));
    const outcomes = dryRun
      ? bulk.checkImport(by, rows, options, meter)
      : bulk.import(by, idempotencyKey, rows, options, meter);
    return respond(context, stream, outcomes, (outcome) => formatOutcome(context, outcome));
  });

  router.serve(bulkUsers, async (context, { dryRun, idempotencyKey }) => {
    const { stream, meter, request } = await openChange(context, parts);
    if (dryRun) {
      try {
        const count = await bulk.countMany(request, stream.signal, meter);
        return jsonResponse(context, 200, JSON.stringify({ count }));
      } finally {
        stream.end();
      }
    }
    const doneStatus = request.change === "remove" ? 204 : 200;
    const outcomes = bulk.changeMany(originOf(context), idempotencyKey, request, meter, stream.signal);
    return respond(context, stream, outcomes, ({ id, problem }) =>
      problem ? formatProblem(context, { id }, problem) : `{"id":${id},"status":${doneStatus}}`,
    );
  });
}

/** Takes a place for a change of many users, and reads the body. */
async function openChange(context: RequestContext, { streams, bodyReader, limits }: BulkParts) {
  const { stream, meter } = streams.openWhileConnected(context, bulkLimits.chunkLines);
  try {
    const text = await bodyReader.readText(context, bulkLimits.bodyBytes);
    const request = await checkBulk(await parseBulk(text, bodyReader.maxBytes));
    const { change } = request;
    if (isMembershipChange(change)) {
      requireForMember(context, operations.bulkUsers, change.isMember ? "addToGroup" : "removeFromGroup");
    }
    if ("filter" in request) {
      requireForMember(context, operations.bulkUsers, "filter");
      requireForMemberships(context, { filters: request.groups });
      limits.charge(context, costOfFilter(request.expression));
    }
    return { stream, meter, request };
  } catch (error) {
    stream.end();
    throw error;
  }
}

function formatOf(type: string): BulkFormat {
  return type === mediaTypes.csv ? "csv" : "ndjson";
}

/** The body without its content coding. */
function readBody(request: Request, stream: Stream): AsyncGenerator<Uint8Array, void> {
  const coding = readContentCoding(request);
  const received = readChunks(request, stream);
  return coding === undefined ? received : decompress(coding, received);
}

/** A space in front of a line is valid JSON. It keeps the connection open while the import waits. */
const KEEP_ALIVE = new TextEncoder().encode(" ");

async function* encodeOutcomes<Outcome>(
  outcomes: AsyncGenerator<Outcome[], void>,
  format: (outcome: Outcome) => string,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const chunk of outcomes) {
    if (chunk.length === 0) {
      yield KEEP_ALIVE;
      continue;
    }
    let text = "";
    for (const outcome of chunk) {
      // A line with many errors takes as long as a hundred others.
      if (loopShare.isSpent) await loopShare.nextTurn();
      text += `${format(outcome)}\n`;
    }
    yield encoder.encode(text);
  }
}

/**
 * Formats an `ImportLineResult`. Callers that must not read users get no ids of users that existed: an import that skips users would
 * find the id of any email. A template is faster than JSON.stringify for created users, the most frequent outcome. */
function formatOutcome(context: RequestContext, outcome: RowOutcome): string {
  const { line } = outcome;
  if ("created" in outcome) {
    const { created } = outcome;
    const id = created || mayReadUsers(context.caller) ? outcome.id : undefined;
    return `{"line":${line},"status":${created ? 201 : 200}${id === undefined ? "" : `,"id":${id}`}}`;
  }
  return formatProblem(context, { line }, outcome.problem);
}

function formatProblem<Subject extends { line: number } | { id: number }>(
  { route, requestId }: RequestContext,
  subject: Subject,
  data: ProblemData,
): string {
  const problem = problemDocument(data, route, requestId);
  return JSON.stringify({ ...subject, status: problem.status, problem } satisfies
    | ImportLineResult
    | BulkResult);
}
