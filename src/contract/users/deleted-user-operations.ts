import Type from "typebox";
import { etag, link, rosterEvent, vary } from "../headers.ts";
import { mediaTypes, type Operation, type Parameter } from "../operation.ts";
import { INVALID_CURSOR, idParameter, ifMatch } from "../parameters.ts";
import { isId } from "../scalars.ts";
import { userListParameters } from "./list-parameters.ts";
import { ada, changedUnread } from "./user-operations.ts";
import { DeletedUser, RestoreInput, User } from "./user-schemas.ts";

const { limit, search, filter } = userListParameters;

const deletedAda = { ...ada, deletedAt: "2026-11-16T08:00:00.000Z" };
const restoredAda = { ...ada, version: 2, updatedAt: "2026-11-16T09:00:00.000Z" };

const id = idParameter("The id of the deleted user.", {
  notFound: "user-not-found",
  example: 1,
  component: "DeletedUserId",
});

const after = {
  in: "query",
  name: "after",
  description: "A cursor from the `Link` header of the previous page.",
  schema: Type.String({ pattern: "^(0|[1-9]\\d{0,15})\\.[1-9]\\d{0,15}$" }),
  accepts: (text) => text.split(".").every((number) => number === "0" || isId(number)),
  correction: INVALID_CURSOR,
  component: "AfterDeletion",
} as const satisfies Parameter;

/** Operations on deleted users. */
export const deletedUserOperations = {
  listDeletedUsers: {
    id: "listDeletedUsers",
    method: "GET",
    path: "/api/deleted-users",
    tag: "users",
    access: ["users:read"],
    summary: "List deleted users",
    description:
      "Users that can be restored, the last deletion first. The `Link` header has the URL of the `next` page; the last page has none. With `q` or `filter`, a page can have fewer users than `limit`, even none, and still have a `next`.",
    parameters: [limit, search, filter, after],
    responses: {
      200: {
        description: "A page of deleted users.",
        headers: { Link: link, "Roster-Event": rosterEvent, Vary: vary },
        body: { type: mediaTypes.json, schema: Type.Array(DeletedUser), examples: { page: [deletedAda] } },
      },
    },
    list: ["next", "first"],
    problems: ["invalid-query"],
  },
  readDeletedUser: {
    id: "readDeletedUser",
    method: "GET",
    path: "/api/deleted-users/{id}",
    tag: "users",
    access: ["users:read"],
    summary: "Read a deleted user",
    description: "Users that were never deleted, and purged users, give 404.",
    parameters: [id],
    responses: {
      200: {
        description: "The deleted user.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: DeletedUser, examples: { ada: deletedAda } },
      },
    },
    problems: ["user-not-found"],
  },
  restoreUser: {
    id: "restoreUser",
    method: "POST",
    path: "/api/deleted-users/{id}/restore",
    tag: "users",
    access: ["users:write"],
    summary: "Restore a deleted user",
    description:
      "Makes a deleted user a user again, with the same id and the next version. If another user has the email or the user name now, send another one.",
    parameters: [id, ifMatch],
    request: {
      types: [mediaTypes.json],
      schema: RestoreInput,
      optional: true,
      examples: {
        "another email": { email: "ada@example.org" },
        "another user name": { userName: "ada.king" },
      },
      invalid: "invalid-user",
    },
    responses: {
      200: {
        description: "The restored user.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: User, examples: { ada: restoredAda } },
      },
      204: changedUnread,
    },
    problems: [
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
    ],
  },
  purgeUser: {
    id: "purgeUser",
    method: "DELETE",
    path: "/api/deleted-users/{id}",
    tag: "users",
    access: ["users:purge"],
    summary: "Purge a deleted user",
    description:
      "Erases the user for good: the record, and the personal data in its events and in the stored outcomes of requests. Who did what to which id and when stays in the events.",
    parameters: [id, ifMatch],
    responses: { 204: { description: "The user was purged." } },
    problems: ["user-not-found", "version-mismatch", "precondition-failed"],
  },
} as const satisfies Record<string, Operation>;
