import Type from "typebox";
import { createdHeaders, etag, listHeaders } from "../headers.ts";
import { mediaTypes, type Operation, type ResponseDescription } from "../operation.ts";
import { idempotencyKey, idParameter, ifMatch, ifNoneMatch, readIfMatch } from "../parameters.ts";
import type { ProblemType } from "../problems.ts";
import { Flag } from "../scalars.ts";
import { ListExplanation } from "./explanation-schemas.ts";
import { userListParameters } from "./list-parameters.ts";
import { ListedUser, User, UserInput, UserPatch } from "./user-schemas.ts";

export const adaInput = { name: "Ada Lovelace", email: "ada@example.com", department: "engines" };
export const ada = {
  id: 1,
  ...adaInput,
  version: 1,
  createdAt: "2026-11-15T09:30:00.000Z",
  updatedAt: "2026-11-15T09:30:00.000Z",
};
const adaMoved = { ...ada, department: "research", version: 2, updatedAt: "2026-11-16T08:00:00.000Z" };

const byLevel = { kind: "index" as const, condition: "level" };
const levelExpected = { plan: byLevel, rowsExpected: 333 };
/** Of `?department=Engineering&level=3&limit=20` among the 100,000 users of `roster seed`, on SQLite. */
const explanation: ListExplanation = {
  order: "id",
  plan: byLevel,
  ...{ rowsRead: 353, statements: 2, found: 20, hasMore: true, complete: true },
  estimates: {
    rows: 100_000,
    matches: 356,
    conditions: [
      { condition: "department", entries: 6301, exact: false },
      { condition: "level", entries: 5650, exact: false },
    ],
  },
  compared: [
    { ...levelExpected, microseconds: 333 },
    { plan: { kind: "index", condition: "department" }, rowsExpected: 372, microseconds: 372 },
    { plan: { kind: "walk" }, rowsExpected: 5899, microseconds: 7669 },
  ],
  rounds: [{ phase: "page", ...levelExpected, limit: 1024, rowsRead: 353, matches: 21 }],
};

export const userId = idParameter("The user's id.", {
  notFound: "user-not-found",
  example: 1,
  component: "UserId",
});

export const pageOfUsers = {
  component: "PageOfUsers",
  description: "A page of users.",
  headers: listHeaders,
  body: { type: mediaTypes.json, schema: Type.Array(ListedUser), examples: { page: [ada] } },
} as const satisfies ResponseDescription;
const changedUser = {
  component: "ChangedUser",
  description: "The user after the change.",
  headers: { ETag: etag },
  body: { type: mediaTypes.json, schema: User, examples: { ada: adaMoved } },
} as const satisfies ResponseDescription;
export const changedUnread = {
  component: "ChangedUserUnread",
  description: "The user was changed. The response has no body because the key lacks the scope `users:read`.",
  headers: { ETag: etag },
} as const satisfies ResponseDescription;
const changeProblems: ProblemType[] = [
  "malformed-json",
  "user-not-found",
  "request-timeout",
  "email-taken",
  "value-taken",
  "version-mismatch",
  "precondition-failed",
  "too-large",
  "unsupported-media-type",
  "invalid-user",
];

/** Operations on users. */
export const userOperations = {
  listUsers: {
    id: "listUsers",
    method: "GET",
    path: "/api/users",
    tag: "users",
    access: ["users:read"],
    summary: "List users",
    description:
      "The `Link` header has the URL of the `next` page; the last page has none. A page can have fewer users than `limit`, even none, and still have a `next`: a search for a page ends after about 250 ms, and a page holds about 1 MiB. If you follow `next` to the end, you get every user that existed the whole time exactly once.",
    parameters: userListParameters.all,
    responses: {
      200: pageOfUsers,
    },
    elsewhere: {
      types: [mediaTypes.ndjson, mediaTypes.csv],
      hint: "To get users as NDJSON or CSV, use GET /api/users/export.",
    },
    list: ["next", "prev", "first"],
    problems: ["invalid-query"],
  },
  explainUsers: {
    id: "explainUsers",
    method: "GET",
    path: "/api/users/explain",
    tag: "users",
    access: ["users:read"],
    summary: "Explain a list of users",
    description:
      "How `GET /api/users` finds a page with the same parameters: which plan it chooses, what it expects, and how many rows it reads. Roster finds the page, with limited work and without what it remembers of earlier lists, and returns no users. `count` and `fields` have no effect.",
    parameters: userListParameters.all,
    responses: {
      200: {
        description: "How the page was found.",
        body: {
          type: mediaTypes.json,
          schema: ListExplanation,
          examples: { "by an index": explanation },
        },
      },
    },
    problems: ["invalid-query"],
  },
  createUser: {
    id: "createUser",
    method: "POST",
    path: "/api/users",
    tag: "users",
    access: ["users:write"],
    summary: "Create a user",
    description:
      "With an `Idempotency-Key`, the request is safe to repeat: a repeated request gets the outcome of the first one and creates no second user. If the user was purged since, a repeated request gets 404 `user-not-found`.",
    parameters: [idempotencyKey],
    request: {
      types: [mediaTypes.json],
      schema: UserInput,
      examples: { ada: adaInput, "name only": { name: "Grace Hopper" } },
      invalid: "invalid-user",
      // A request with an Idempotency-Key that is running is refused before its body arrives.
      unread: true,
      elsewhere: {
        types: [mediaTypes.ndjson, mediaTypes.csv],
        hint: "This path creates one user. To import NDJSON or CSV, use POST /api/users/import.",
      },
    },
    responses: {
      201: {
        description: "The new user.",
        headers: createdHeaders,
        body: { type: mediaTypes.json, schema: User, examples: { ada } },
      },
    },
    problems: [
      "malformed-json",
      "invalid-header",
      "user-not-found",
      "request-timeout",
      "email-taken",
      "value-taken",
      "idempotency-in-flight",
      "too-large",
      "unsupported-media-type",
      "invalid-user",
      "idempotency-mismatch",
    ],
  },
  readUser: {
    id: "readUser",
    method: "GET",
    path: "/api/users/{id}",
    tag: "users",
    access: ["users:read"],
    summary: "Read a user",
    description: "With `If-None-Match`, an unchanged user gives 304 without a body.",
    parameters: [userId, ifNoneMatch, readIfMatch],
    responses: {
      200: {
        description: "The user.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: User, examples: { ada } },
      },
      304: { description: "The user has not changed.", headers: { ETag: etag } },
    },
    problems: ["user-not-found", "version-mismatch"],
  },
  replaceUser: {
    id: "replaceUser",
    method: "PUT",
    path: "/api/users/{id}",
    tag: "users",
    access: ["users:write"],
    summary: "Replace a user",
    description:
      "Replaces the whole record: omitted fields are removed. A PUT that changes nothing keeps the version.",
    parameters: [userId, ifMatch],
    request: {
      types: [mediaTypes.json],
      schema: UserInput,
      examples: { moved: { ...adaInput, department: "research" } },
      invalid: "invalid-user",
    },
    responses: { 200: changedUser, 204: changedUnread },
    problems: changeProblems,
  },
  updateUser: {
    id: "updateUser",
    method: "PATCH",
    path: "/api/users/{id}",
    tag: "users",
    access: ["users:write"],
    summary: "Update a user",
    description:
      "Applies a JSON Merge Patch (RFC 7396): omitted fields stay, and null removes a field. A PATCH that changes nothing keeps the version.",
    parameters: [userId, ifMatch],
    request: {
      types: [mediaTypes.mergePatch, mediaTypes.json],
      schema: UserPatch,
      examples: { move: { department: "research" }, "remove the email": { email: null } },
      invalid: "invalid-user",
    },
    responses: { 200: changedUser, 204: changedUnread },
    problems: changeProblems,
  },
  deleteUser: {
    id: "deleteUser",
    method: "DELETE",
    path: "/api/users/{id}",
    tag: "users",
    access: ["users:write"],
    summary: "Delete a user",
    description:
      "The id is never reused. The email is free at once. The user can be restored for some time, 30 days unless the service has another setting. With `purge=true`, the user is purged too: it cannot be restored. This needs the scope `users:purge` besides.",
    parameters: [
      userId,
      ifMatch,
      {
        in: "query",
        name: "purge",
        description: "`true` purges the user too.",
        schema: Flag,
        needs: { scope: "users:purge", query: "purge=true" },
      },
    ],
    responses: { 204: { description: "The user was deleted." } },
    problems: ["user-not-found", "version-mismatch", "precondition-failed"],
  },
} as const satisfies Record<string, Operation>;
