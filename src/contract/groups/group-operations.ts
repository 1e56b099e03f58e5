import Type from "typebox";
import { createdHeaders, etag, listHeaders } from "../headers.ts";
import { mediaTypes, type Operation, type ResponseDescription } from "../operation.ts";
import { idempotencyKey, idParameter, ifMatch, ifNoneMatch, readIfMatch } from "../parameters.ts";
import type { ProblemType } from "../problems.ts";
import { ListExplanation } from "../users/explanation-schemas.ts";
import { Group, GroupInput, GroupPatch, ListedGroup } from "./group-schemas.ts";
import { groupListParameters } from "./list-parameters.ts";

export const salesInput = { name: "Sales", region: "north" };
export const sales = {
  id: 1,
  name: "Sales",
  region: "north",
  memberCount: 0,
  version: 1,
  createdAt: "2026-11-15T09:30:00.000Z",
  updatedAt: "2026-11-15T09:30:00.000Z",
};
const salesMoved = { ...sales, region: "south", version: 2, updatedAt: "2026-11-16T08:00:00.000Z" };

const all = { kind: "all" as const };
/** Of `?limit=20` among 50 groups. */
const explanation: ListExplanation = {
  order: "id",
  plan: all,
  ...{ rowsRead: 21, statements: 1, found: 20, hasMore: true, complete: true },
  estimates: null,
  compared: [],
  rounds: [{ phase: "page", plan: all, rowsExpected: 21, limit: null, rowsRead: 21, matches: 21 }],
};

export const groupId = idParameter("The group's id.", {
  notFound: "group-not-found",
  example: 1,
  component: "GroupId",
});

export const pageOfGroups = {
  component: "PageOfGroups",
  description: "A page of groups.",
  headers: listHeaders,
  body: { type: mediaTypes.json, schema: Type.Array(ListedGroup), examples: { page: [sales] } },
} as const satisfies ResponseDescription;
const changedGroup = {
  component: "ChangedGroup",
  description: "The group after the change.",
  headers: { ETag: etag },
  body: { type: mediaTypes.json, schema: Group, examples: { sales: salesMoved } },
} as const satisfies ResponseDescription;
const changedUnread = {
  component: "ChangedGroupUnread",
  description:
    "The group was changed. The response has no body because the key lacks the scope `groups:read`.",
  headers: { ETag: etag },
} as const satisfies ResponseDescription;
const changeProblems: ProblemType[] = [
  "malformed-json",
  "group-not-found",
  "request-timeout",
  "value-taken",
  "version-mismatch",
  "precondition-failed",
  "too-large",
  "unsupported-media-type",
  "invalid-group",
];

/** Operations on groups. */
export const groupOperations = {
  listGroups: {
    id: "listGroups",
    method: "GET",
    path: "/api/groups",
    tag: "groups",
    access: ["groups:read"],
    summary: "List groups",
    description:
      "The parameters, the pages and the `Link` header work as those of `GET /api/users`: a page can have fewer groups than `limit`, even none, and still have a `next`.",
    parameters: groupListParameters.all,
    responses: {
      200: pageOfGroups,
    },
    elsewhere: {
      types: [mediaTypes.ndjson, mediaTypes.csv],
      hint: "To get groups as NDJSON or CSV, use GET /api/groups/export.",
    },
    list: ["next", "prev", "first"],
    problems: ["invalid-query"],
  },
  explainGroups: {
    id: "explainGroups",
    method: "GET",
    path: "/api/groups/explain",
    tag: "groups",
    access: ["groups:read"],
    summary: "Explain a list of groups",
    description:
      "How `GET /api/groups` finds a page with the same parameters, as `GET /api/users/explain` does for users. `count` and `fields` have no effect.",
    parameters: groupListParameters.all,
    responses: {
      200: {
        description: "How the page was found.",
        body: { type: mediaTypes.json, schema: ListExplanation, examples: { "all groups": explanation } },
      },
    },
    problems: ["invalid-query"],
  },
  createGroup: {
    id: "createGroup",
    method: "POST",
    path: "/api/groups",
    tag: "groups",
    access: ["groups:write"],
    summary: "Create a group",
    description:
      "The name must be free: no two groups have the same name, ignoring case. With an `Idempotency-Key`, the request is safe to repeat: a repeated request gets the outcome of the first one and creates no second group.",
    parameters: [idempotencyKey],
    request: {
      types: [mediaTypes.json],
      schema: GroupInput,
      examples: { sales: salesInput, "name only": { name: "Support" } },
      invalid: "invalid-group",
      // A request with an Idempotency-Key that is running is refused before its body arrives.
      unread: true,
      elsewhere: {
        types: [mediaTypes.ndjson, mediaTypes.csv],
        hint: "This path creates one group. To import NDJSON or CSV, use POST /api/groups/import.",
      },
    },
    responses: {
      201: {
        description: "The new group.",
        headers: createdHeaders,
        body: { type: mediaTypes.json, schema: Group, examples: { sales } },
      },
    },
    problems: [
      "malformed-json",
      "invalid-header",
      "request-timeout",
      "value-taken",
      "idempotency-in-flight",
      "too-large",
      "unsupported-media-type",
      "invalid-group",
      "idempotency-mismatch",
    ],
  },
  readGroup: {
    id: "readGroup",
    method: "GET",
    path: "/api/groups/{id}",
    tag: "groups",
    access: ["groups:read"],
    summary: "Read a group",
    description: "With `If-None-Match`, an unchanged group gives 304 without a body.",
    parameters: [groupId, ifNoneMatch, readIfMatch],
    responses: {
      200: {
        description: "The group.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: Group, examples: { sales } },
      },
      304: { description: "The group has not changed.", headers: { ETag: etag } },
    },
    problems: ["group-not-found", "version-mismatch"],
  },
  replaceGroup: {
    id: "replaceGroup",
    method: "PUT",
    path: "/api/groups/{id}",
    tag: "groups",
    access: ["groups:write"],
    summary: "Replace a group",
    description:
      "Replaces the name and the custom fields: omitted fields are removed. A PUT that changes nothing keeps the version.",
    parameters: [groupId, ifMatch],
    request: {
      types: [mediaTypes.json],
      schema: GroupInput,
      examples: { moved: { ...salesInput, region: "south" } },
      invalid: "invalid-group",
    },
    responses: { 200: changedGroup, 204: changedUnread },
    problems: changeProblems,
  },
  updateGroup: {
    id: "updateGroup",
    method: "PATCH",
    path: "/api/groups/{id}",
    tag: "groups",
    access: ["groups:write"],
    summary: "Update a group",
    description:
      "Applies a JSON Merge Patch (RFC 7396): omitted fields stay, and null removes a field. A PATCH that changes nothing keeps the version.",
    parameters: [groupId, ifMatch],
    request: {
      types: [mediaTypes.mergePatch, mediaTypes.json],
      schema: GroupPatch,
      examples: { move: { region: "south" }, rename: { name: "Sales south" } },
      invalid: "invalid-group",
    },
    responses: { 200: changedGroup, 204: changedUnread },
    problems: changeProblems,
  },
  deleteGroup: {
    id: "deleteGroup",
    method: "DELETE",
    path: "/api/groups/{id}",
    tag: "groups",
    access: ["groups:write"],
    summary: "Delete a group",
    description: "A deleted group cannot be restored. The id is never reused. The name is free at once.",
    parameters: [groupId, ifMatch],
    responses: { 204: { description: "The group was deleted." } },
    problems: ["group-not-found", "version-mismatch", "precondition-failed"],
  },
} as const satisfies Record<string, Operation>;
