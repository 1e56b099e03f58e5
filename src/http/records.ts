import { createHash } from "node:crypto";
import type { Scope } from "../contract/keys/key.ts";
import type { Operation } from "../contract/operation.ts";
import type { ProblemType } from "../contract/problems.ts";
import type { EventFeed } from "../domain/events/event-feed.ts";
import { encodeCursor } from "../domain/lists/cursor.ts";
import type { ListQuery, MembershipFilter, Page } from "../domain/lists/listing.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
import type { Precondition } from "../domain/precondition.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { RecordOfFields } from "../domain/records/check-record.ts";
import type { StoredRecord } from "../domain/records/record.ts";
import type { ReceivedBody, Records } from "../domain/records/records.ts";
import { costOfFilter } from "../domain/request-cost.ts";
import { loopShare } from "../domain/scheduling/loop-share.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import { hasScope, requireForMemberships } from "./access/require-scope.ts";
import { type BodyReader, parseJson } from "./body-reader.ts";
import type { Links, ListPage } from "./links.ts";
import { formatEtag } from "./query/headers.ts";
import type { ListQueryParser } from "./query/list-query.ts";
import { originOf, type RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse, versionedResponse } from "./responses.ts";

/** What the handlers of every kind of record need. */
export interface RecordRouteParts {
  readonly bodyReader: BodyReader;
  readonly links: Links;
  readonly feed: Pick<EventFeed, "lastId">;
  readonly limits: CallerLimits;
}

type RecordsWith<Column extends string> = Records<RecordOfFields, Column, "user" | "group">;

/** Records of one kind, and what the contract says about them. */
interface RecordResource<Column extends string> {
  readonly records: Pick<RecordsWith<Column | "id">, keyof RecordsWith<Column | "id">>;
  readonly queries: ListQueryParser<Column>;
  readonly operations: {
    readonly list: Pick<Operation, "list">;
    readonly create: Pick<Operation, "path"> & { readonly request: { readonly invalid: ProblemType } };
  };
  /** What a caller needs to get the record after a change. */
  readonly readScope: Scope;
}

interface ChangeInput {
  readonly id: number;
  readonly body: unknown;
  readonly precondition: Precondition | undefined;
}

interface ListInput {
  readonly queryString: string;
}

interface ListedRecords<Column extends string> extends Pick<RecordResource<Column>, "records" | "queries"> {
  /** What the records belong to, if the list is not one of all of them. */
  readonly parents?: { read(id: number): MaybePromise<StoredRecord> };
}

/** The handler of a list of records of one kind: of all of them, or of those that belong to the parent with this id. */
export function createListHandler<Column extends string>(
  { links, feed, limits }: Omit<RecordRouteParts, "bodyReader">,
  { records, queries, parents }: ListedRecords<Column>,
  operation: Pick<Operation, "list">,
) {
  return (context: RequestContext, { queryString }: ListInput, parentId?: number) => {
    const parsed = queries.parse(queryString);
    requireForMemberships(context, parsed);
    const query = parentId === undefined ? parsed : belongingTo(parentId, parsed);
    if (query.expression) limits.charge(context, costOfFilter(query.expression, query.count));
    // Read before the list, so that the event is not newer than the list.
    const { lastId } = feed;
    const findOwner = () => limits.findOwner(context);
    const found = andThen(records.list(query, findOwner), (page) => {
      // Records belong only to a parent that exists. Without any, it is read: that fails if it does not exist.
      if (page.size > 0 || !parents || parentId === undefined) return waitIfLarge(page, findOwner);
      return andThen(parents.read(parentId), () => page);
    });
    return andThen(found, (page) =>
      links.respondWithPage(context, operation, toListPage(query, page, lastId)),
    );
  };
}

/** The members of a group, or the groups of a user. A query string has no space: no other list has the name. */
function belongingTo<Column extends string>(id: number, query: ListQuery<Column>): ListQuery<Column> {
  const { filters, name } = query;
  const membership: MembershipFilter = { kind: "membership", by: "id", values: [id] };
  return { ...query, filters: [...filters, membership], name: name === undefined ? name : `${id} ${name}` };
}

/** The handlers of records of one kind, except that of a delete. */
export function createRecordHandlers<Column extends string>(
  parts: RecordRouteParts,
  { records, queries, operations, readScope }: RecordResource<Column>,
) {
  const { bodyReader, links, limits } = parts;
  const { path, request } = operations.create;
  const respondWithList = createListHandler(parts, { records, queries }, operations.list);
  return {
    list: (context: RequestContext, input: ListInput) => respondWithList(context, input),

    async explain(context: RequestContext, { queryString }: ListInput) {
      const query = queries.parse(queryString);
      requireForMemberships(context, query);
      limits.charge(context, costOfFilter(query.expression));
      const explanation = await records.explain(query, () => limits.findOwner(context));
      return jsonResponse(context, 200, JSON.stringify(explanation));
    },

    async create(
      context: RequestContext,
      { idempotencyKey }: { readonly idempotencyKey: string | undefined },
    ) {
      const by = originOf(context);
      const readBody = () => bodyReader.read(context);
      const { invalid } = request;
      const { record, replayed } =
        idempotencyKey === undefined
          ? { record: await records.create(by, parseJson(await readBody(), invalid)), replayed: false }
          : await records.createIdempotent(by, idempotencyKey, async () =>
              toReceivedBody(await readBody(), invalid),
            );
      return jsonResponse(context, 201, record.json, {
        location: links.locate(context, `${path}/${record.id}`),
        etag: formatEtag(record),
        ...(replayed && { "idempotency-replayed": "true" }),
      });
    },

    read(
      context: RequestContext,
      { id, precondition, ifNoneMatch }: Omit<ChangeInput, "body"> & { readonly ifNoneMatch: string | null },
    ) {
      return andThen(records.read(id, precondition), (record) =>
        versionedResponse(context, record.json, record, ifNoneMatch),
      );
    },

    async replace(context: RequestContext, { id, body, precondition }: ChangeInput) {
      const record = await records.replace(originOf(context), id, body, precondition);
      return changedResponse(context, record, readScope);
    },

    async update(context: RequestContext, { id, body, precondition }: ChangeInput) {
      const record = await records.update(originOf(context), id, body, precondition);
      return changedResponse(context, record, readScope);
    },
  };
}

function toListPage(query: ListQuery, { body, next, total }: Page, lastEventId: string): ListPage {
  const { from, offset, limit } = query;
  const headers: Record<string, string> = { "roster-event": lastEventId };
  if (total) {
    headers["x-total-count"] = String(total.count);
    if (total.capped) headers["x-total-count-capped"] = "true";
  }
  return {
    body,
    headers,
    next: next && encodeCursor(query, next),
    // A cursor does not tell where the page before begins.
    previous: from || offset === 0 ? undefined : Math.max(0, offset - limit),
    isFirst: !from && offset === 0,
  };
}

/** Sending a page of this size takes a fraction of a millisecond. */
const QUICK_BYTES = 65_536;

/** Callers with larger pages take turns. */
function waitIfLarge(page: Page, findOwner: () => string): MaybePromise<Page> {
  if (page.body.length <= QUICK_BYTES) return page;
  return loopShare.nextTurn({ owner: findOwner(), alone: true }).then(() => page);
}

/** The record after a change. Callers that must not read it get the ETag only: an empty PATCH would read any record. */
export function changedResponse(context: RequestContext, record: StoredRecord, readScope: Scope): Response {
  return hasScope(context.caller, readScope)
    ? versionedResponse(context, record.json, record)
    : emptyResponse(context, 204, { etag: formatEtag(record) });
}

/** A body that is not JSON is an outcome too: an Idempotency-Key stores its problem. */
function toReceivedBody(bytes: Uint8Array, invalid: ProblemType): ReceivedBody {
  const fingerprint = createHash("sha256").update(bytes).digest("base64url");
  try {
    return { fingerprint, body: parseJson(bytes, invalid) };
  } catch (error) {
    if (error instanceof ProblemError) return { fingerprint, problem: error };
    throw error;
  }
}
