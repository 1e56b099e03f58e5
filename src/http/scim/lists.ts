import { createHash } from "node:crypto";
import type { GroupColumn } from "../../contract/groups/group-fields.ts";
import {
  scimGroupOperations,
  scimSharedOperations,
  scimUserOperations,
} from "../../contract/scim/scim-operations.ts";
import type { ColumnField } from "../../contract/users/user-fields.ts";
import { groupListFields } from "../../domain/groups/group-list-fields.ts";
import type { ListFields } from "../../domain/lists/list-fields.ts";
import type { ListQuery } from "../../domain/lists/listing.ts";
import { andThen } from "../../domain/maybe-promise.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { findByUserName } from "../../domain/users/find-by-user-name.ts";
import { userListFields } from "../../domain/users/user-list-fields.ts";
import { groupKind, type ResourceKind, userKind } from "../../scim/attributes.ts";
import { parseGroupFilter, parseUserFilter, type ScimUserFilter } from "../../scim/filter/parse-filter.ts";
import { parseSort } from "../../scim/filter/parse-sort.ts";
import { findSimpleUserName } from "../../scim/filter/simple-user-name.ts";
import { createDocumentView } from "../../scim/projection.ts";
import { requireForMemberships, requireScope } from "../access/require-scope.ts";
import { parseJson } from "../body-reader.ts";
import { readQueryString } from "../query/query-string.ts";
import type { RequestContext } from "../request-context.ts";
import { jsonResponse } from "../responses.ts";
import type { Router } from "../router.ts";
import { createGroupWriter, createUserWriter } from "./document-writer.ts";
import { formatShortList, ListPage } from "./list-page.ts";
import { foundPart, type ListPart, listedPart } from "./list-part.ts";
import { ListPositions } from "./list-positions.ts";
import { type ListRequest, readListQuery, readSearchRequest } from "./list-request.ts";
import { respondInParts } from "./long-response.ts";
import { chooseMediaType } from "./media-type.ts";
import { parseRecord } from "./resources.ts";
import { giveWay, type ScimParts } from "./scim-parts.ts";

/** Makes the part of a list that has the resources of one kind. Throws if the caller must not read what the list selects by. */
type CreatePart = (context: RequestContext, request: ListRequest) => ListPart;

/** Registers the lists of resources. */
export function serveScimLists(router: Router, parts: ScimParts): void {
  const { bodyReader, limits, streams, clock } = parts;
  const positions = new ListPositions(clock);

  const respondWithPage = (context: RequestContext, listed: readonly ListPart[], request: ListRequest) => {
    const page = new ListPage({
      parts: listed,
      request,
      positions,
      owner: limits.findOwner(context),
      name: toName([listed.length, listed[0]?.kind.name, ...selectionOf(request)]),
      charge: (cost) => limits.charge(context, cost),
      isAborted: () => context.request.signal.aborted,
      clock,
    });
    const begin = () => page.begin();
    return respondInParts(context, streams, page.write(), { isList: true, onBegin: begin });
  };
  const respondWithList = (context: RequestContext, kinds: readonly CreatePart[], request: ListRequest) => {
    const listed = kinds.map((create) => create(context, request));
    const [only, ...others] = listed;
    return only?.find && others.length === 0 && isFirstPage(request)
      ? andThen(
          only.find(),
          (found) => respondWithFound(context, only, found) ?? respondWithPage(context, listed, request),
        )
      : respondWithPage(context, listed, request);
  };
  const readSearch = async (context: RequestContext) => {
    const body = parseJson(await bodyReader.read(context), "invalid-query");
    await giveWay(context, parts);
    const request = readSearchRequest(body);
    await giveWay(context, parts);
    return request;
  };

  const users = userParts(parts);
  const groups = groupParts(parts);
  for (const [operations, create] of [
    [scimUserOperations, users],
    [scimGroupOperations, groups],
  ] as const) {
    router.serve(operations.list, (context) =>
      respondWithList(context, [create], readListQuery(readQueryString(context.url))),
    );
    router.serve(operations.search, async (context) =>
      respondWithList(context, [create], await readSearch(context)),
    );
  }
  router.serve(scimSharedOperations.search, async (context) =>
    respondWithList(context, [users, groups], await readSearch(context)),
  );
}

function userParts(parts: ScimParts): CreatePart {
  return (context, request) => {
    const { filter, attributes, excludedAttributes, count } = request;
    const view = createDocumentView(userKind, attributes, excludedAttributes);
    const writer = createUserWriter(context, parts, view);
    const part = { kind: userKind, fields: userListFields, writer };
    const { userName, filters = [], expression } = parseUsers(filter);
    const order = parseOrder(userKind, userListFields, request);
    if (userName !== undefined) return foundPart(part, () => findByUserName(parts.userNames, userName));
    requireForMemberships(context, { filters });
    return listedPart<ColumnField>({
      ...part,
      records: parts.users,
      query: { ...order, filters, expression },
      name: findShortName(userKind, request),
      count,
      findOwner: () => parts.limits.findOwner(context),
    });
  };
}

function parseUsers(filter: string | undefined): Partial<ScimUserFilter> {
  if (filter === undefined) return {};
  const userName = findSimpleUserName(filter);
  return userName === undefined ? parseUserFilter(filter) : { userName };
}

function groupParts(parts: ScimParts): CreatePart {
  return (context, request) => {
    const { filter, attributes, excludedAttributes, count } = request;
    const view = createDocumentView(groupKind, attributes, excludedAttributes);
    const { filters = [], expression } = filter === undefined ? {} : parseGroupFilter(filter);
    // To select groups by their members tells who they are.
    if (filters.some(({ kind }) => kind === "membership")) requireScope(context.caller, "users:read");
    return listedPart<GroupColumn>({
      ...{ kind: groupKind, fields: groupListFields, writer: createGroupWriter(context, parts, view) },
      records: parts.groups,
      query: { ...parseOrder(groupKind, groupListFields, request), filters, expression },
      name: findShortName(groupKind, request),
      count,
      findOwner: () => parts.limits.findOwner(context),
    });
  };
}

/** Whether a list of one resource is on the page as a whole. */
function isFirstPage({ cursor, startIndex, count }: ListRequest): boolean {
  return cursor === undefined && startIndex === 1 && count > 0;
}

/** Undefined if the document is not written at once. */
function respondWithFound(
  context: RequestContext,
  { writer }: ListPart,
  found: Pick<StoredRecord, "json"> | undefined,
): Response | undefined {
  const written = found && writer.write(parseRecord(found));
  if (typeof written === "object") return undefined;
  return jsonResponse(context, 200, formatShortList(written), {
    "content-type": chooseMediaType(context.request),
    vary: "Accept",
  });
}

/** Without `sortBy`, resources come in order of id: `sortOrder` says nothing then. */
function parseOrder<Column extends string>(
  kind: ResourceKind,
  fields: ListFields<Column>,
  { sortBy, descending }: ListRequest,
): Pick<ListQuery<Column | "id">, "sort" | "descending"> {
  return sortBy === undefined
    ? { sort: "id", descending: false }
    : { sort: parseSort(kind, fields, sortBy), descending };
}

/** Which resources a list has, and in which order. */
function selectionOf({ filter, sortBy, descending }: ListRequest) {
  return [filter, sortBy, descending] as const;
}

/** A name of a list that stores can keep. */
function findShortName({ name }: ResourceKind, request: ListRequest): string | undefined {
  const text = `scim ${JSON.stringify([name, request.count, ...selectionOf(request)])}`;
  return text.length <= 256 ? text : undefined;
}

function toName(values: readonly unknown[]): string {
  const text = JSON.stringify(values);
  return text.length <= 256 ? text : createHash("sha256").update(text).digest("base64url");
}
