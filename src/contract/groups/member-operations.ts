import { etag } from "../headers.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { idParameter, ifMatch, ifNoneMatch, readIfMatch } from "../parameters.ts";
import type { ProblemType } from "../problems.ts";
import { userListParameters } from "../users/list-parameters.ts";
import { ada, pageOfUsers, userId } from "../users/user-operations.ts";
import { User } from "../users/user-schemas.ts";
import { membershipLimits } from "./group.ts";
import { groupId, pageOfGroups } from "./group-operations.ts";
import { groupListParameters } from "./list-parameters.ts";
import { ChangedMembers, MembersPatch } from "./member-schemas.ts";

const memberPath = "/api/groups/{id}/members/{userId}";

const memberId = (notFound: ProblemType) => ({
  ...idParameter("The user's id.", { notFound, example: 1, component: "MemberId" }),
  name: "userId" as const,
});

/** Who must not read users must not learn from writes which users there are. */
const writing = ["groups:write", "users:read"] as const;
const reading = ["users:read", "groups:read"] as const;

const setMemberProblems: ProblemType[] = [
  "user-not-found",
  "group-not-found",
  "version-mismatch",
  "precondition-failed",
];

/** Operations on the members of groups. */
export const memberOperations = {
  listMembers: {
    id: "listMembers",
    method: "GET",
    path: "/api/groups/{id}/members",
    tag: "groups",
    access: reading,
    summary: "List the members of a group",
    description:
      "The users that are members, with the parameters, the pages and the headers of `GET /api/users`. `count=true` without filters is exact at any size.",
    parameters: [groupId, ...userListParameters.all],
    responses: {
      200: pageOfUsers,
    },
    elsewhere: {
      types: [mediaTypes.ndjson, mediaTypes.csv],
      hint: "To get members as NDJSON or CSV, use GET /api/users/export?group=ID.",
    },
    list: ["next", "prev", "first"],
    problems: ["invalid-query", "group-not-found"],
  },
  changeMembers: {
    id: "changeMembers",
    method: "PATCH",
    path: "/api/groups/{id}/members",
    tag: "groups",
    access: writing,
    summary: "Change the members of a group",
    description: `Adds and removes up to ${membershipLimits.patchIds} members, all or none. The version of the group grows if at least one membership changes. The response counts the real changes.`,
    parameters: [groupId, ifMatch],
    request: {
      types: [mediaTypes.json],
      schema: MembersPatch,
      examples: { add: { add: [1] }, remove: { remove: [1] } },
      invalid: "invalid-group",
    },
    responses: {
      200: {
        description: "The memberships were changed. The ETag is that of the group.",
        headers: { ETag: etag },
        body: {
          type: mediaTypes.json,
          schema: ChangedMembers,
          examples: { added: { added: 1, removed: 0 } },
        },
      },
    },
    problems: [
      "malformed-json",
      "group-not-found",
      "request-timeout",
      "version-mismatch",
      "precondition-failed",
      "too-large",
      "unsupported-media-type",
      "invalid-group",
    ],
  },
  readMember: {
    id: "readMember",
    method: "GET",
    path: memberPath,
    tag: "groups",
    access: reading,
    summary: "Read a member of a group",
    description:
      "The user, if it is a member. `If-Match` and `If-None-Match` compare the ETag of the user, as in `GET /api/users/{id}`.",
    parameters: [groupId, memberId("member-not-found"), ifNoneMatch, readIfMatch],
    responses: {
      200: {
        description: "The user is a member.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: User, examples: { ada } },
      },
      304: { description: "The user is a member and has not changed.", headers: { ETag: etag } },
    },
    problems: ["group-not-found", "member-not-found", "version-mismatch"],
  },
  addMember: {
    id: "addMember",
    method: "PUT",
    path: memberPath,
    tag: "groups",
    access: writing,
    summary: "Add a member to a group",
    description:
      "If the user is a member already, nothing changes. `If-Match` compares the ETag of the group.",
    parameters: [groupId, memberId("user-not-found"), ifMatch],
    responses: { 204: { description: "The user is a member." } },
    problems: setMemberProblems,
  },
  removeMember: {
    id: "removeMember",
    method: "DELETE",
    path: memberPath,
    tag: "groups",
    access: writing,
    summary: "Remove a member from a group",
    description: "If the user is not a member, nothing changes. `If-Match` compares the ETag of the group.",
    parameters: [groupId, memberId("user-not-found"), ifMatch],
    responses: { 204: { description: "The user is not a member." } },
    problems: setMemberProblems,
  },
  listUserGroups: {
    id: "listUserGroups",
    method: "GET",
    path: "/api/users/{id}/groups",
    tag: "users",
    access: reading,
    summary: "List the groups of a user",
    description:
      "The groups that the user is a member of, with the parameters, the pages and the headers of `GET /api/groups`.",
    parameters: [userId, ...groupListParameters.all],
    responses: {
      200: pageOfGroups,
    },
    list: ["next", "prev", "first"],
    problems: ["invalid-query", "user-not-found"],
  },
} as const satisfies Record<string, Operation>;
