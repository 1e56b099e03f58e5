import Type from "typebox";
import { keyLimits } from "./key.ts";
import { Key, KeyInput, NewKey, Session, SessionInput } from "./key-schemas.ts";
import { listLimits } from "./listing.ts";
import { type HeaderDescription, mediaTypes, type Operation, type Parameter } from "./operation.ts";
import type { ProblemType } from "./problems.ts";
import { Id } from "./user-schemas.ts";

const ci: Key = {
  id: 7,
  name: "ci",
  prefix: "roster_q7Xw2",
  scopes: ["users:read"],
  createdAt: "2026-11-15T09:30:00.000Z",
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: "2026-11-15T10:02:11.412Z",
  rateLimit: { requests: 10, seconds: 60 },
  quota: 100_000,
  usage: { month: "2026-11", requests: 17 },
};
const made: NewKey = {
  ...ci,
  lastUsedAt: null,
  usage: { month: "2026-11", requests: 0 },
  key: "roster_q7Xw2LmZ0aVt9KcR4sYbE1uHdJ8nPf2MwQ00",
};
const signedIn: Session = {
  auth: "session",
  key: { id: ci.id, name: ci.name },
  scopes: ci.scopes,
  expiresAt: "2026-11-15T21:30:00.000Z",
};

const id: Parameter = {
  in: "path",
  name: "id",
  description: "The key's id.",
  schema: Id,
  required: true,
  example: ci.id,
};
const bodyProblems: ProblemType[] = [
  "malformed-json",
  "request-timeout",
  "too-large",
  "unsupported-media-type",
  "invalid-key",
];
const notKept: HeaderDescription = {
  description: "Nothing between the service and the caller is to keep the answer.",
  schema: Type.Literal("no-store"),
};
const setCookie = (description: string): HeaderDescription => ({
  description,
  schema: Type.String(),
  optional: true,
});

/** What can be done with keys, and the sessions that they are traded for. */
export const keyOperations = {
  listKeys: {
    id: "listKeys",
    method: "GET",
    path: "/api/keys",
    tag: "keys",
    access: "keys:manage",
    summary: "List keys",
    description: "In the order of their ids, those that have ended too. No answer ever has a key's secret.",
    parameters: [
      {
        in: "query",
        name: "limit",
        description: "The most keys of a page.",
        schema: Type.Integer({
          minimum: 1,
          maximum: listLimits.pageSize.maximum,
          default: listLimits.pageSize.default,
        }),
        example: 20,
      },
      {
        in: "query",
        name: "after",
        description: "Where the page begins: part of the `next` address.",
        schema: Type.String(),
      },
    ],
    responses: {
      200: {
        description: "A page of keys.",
        headers: {
          Link: {
            description: 'The address of the next page, `rel="next"`, while there is more.',
            schema: Type.String({ pattern: '^<[^>]+>; rel="next"$' }),
            optional: true,
          },
        },
        body: { type: mediaTypes.json, schema: Type.Array(Key), examples: { page: [ci] } },
      },
    },
    problems: ["invalid-query"],
  },
  createKey: {
    id: "createKey",
    method: "POST",
    path: "/api/keys",
    tag: "keys",
    access: "keys:manage",
    summary: "Make a key",
    description:
      "The secret is in this answer only. Nobody can give a scope that they lack. With `replaces`, the new key takes the place of another, which ends after `graceSeconds`.",
    parameters: [],
    request: {
      types: [mediaTypes.json],
      schema: KeyInput,
      examples: {
        "read only": { name: "ci", scopes: ["users:read"], rateLimit: { requests: 10, seconds: 60 } },
        successor: { replaces: 7, graceSeconds: 3600 },
      },
    },
    responses: {
      201: {
        description: "The new key, with its secret.",
        headers: {
          Location: {
            description: "The path of the new key.",
            schema: Type.String({ pattern: "^/api/keys/[1-9][0-9]*$" }),
          },
          "Cache-Control": notKept,
        },
        body: { type: mediaTypes.json, schema: NewKey, examples: { ci: made } },
      },
    },
    problems: bodyProblems,
  },
  readKey: {
    id: "readKey",
    method: "GET",
    path: "/api/keys/{id}",
    tag: "keys",
    access: "keys:manage",
    summary: "Read a key",
    description: "With what it was used for: when last, and how often this month.",
    parameters: [id],
    responses: {
      200: { description: "The key.", body: { type: mediaTypes.json, schema: Key, examples: { ci } } },
    },
    problems: ["key-not-found"],
  },
  revokeKey: {
    id: "revokeKey",
    method: "DELETE",
    path: "/api/keys/{id}",
    tag: "keys",
    access: "keys:manage",
    summary: "Revoke a key",
    description:
      "Ends it for good, within a second on every node, and every session that it was traded for. Its record stays. A key that has been revoked before is answered alike.",
    parameters: [id],
    responses: { 204: { description: "The key is good for nothing any more." } },
    problems: ["key-not-found"],
  },
  signIn: {
    id: "signIn",
    method: "POST",
    path: "/api/session",
    tag: "keys",
    access: "public",
    summary: "Sign in",
    description: `Trades a key for a cookie that a browser keeps from its scripts, good for ${keyLimits.sessionHours} hours on this service's own pages. A session that the browser had ends.`,
    parameters: [],
    request: { types: [mediaTypes.json], schema: SessionInput, examples: { key: { key: made.key } } },
    responses: {
      200: {
        description: "Who has signed in. Set-Cookie has the session.",
        headers: { "Set-Cookie": setCookie("The session."), "Cache-Control": notKept },
        body: { type: mediaTypes.json, schema: Session, examples: { ci: signedIn } },
      },
    },
    problems: [
      ...bodyProblems,
      "unauthenticated",
      "key-expired",
      "key-revoked",
      "cross-site",
      "rate-limited",
    ],
  },
  whoAmI: {
    id: "whoAmI",
    method: "GET",
    path: "/api/session",
    tag: "keys",
    access: "authenticated",
    summary: "Who am I?",
    description: "The caller's key and scopes, by whatever way the caller has shown who it is.",
    parameters: [],
    responses: {
      200: {
        description: "Who is calling.",
        body: {
          type: mediaTypes.json,
          schema: Session,
          examples: {
            ci: signedIn,
            open: {
              auth: "open",
              key: null,
              scopes: ["users:read", "users:write", "keys:manage"],
              expiresAt: null,
            },
          },
        },
      },
    },
    problems: [],
  },
  signOut: {
    id: "signOut",
    method: "DELETE",
    path: "/api/session",
    tag: "keys",
    access: "public",
    summary: "Sign out",
    description: "Ends the session, within a second on every node. Without one, there is nothing to do.",
    parameters: [],
    responses: {
      204: {
        description: "There is no session any more.",
        headers: { "Set-Cookie": setCookie("Takes the cookie away.") },
      },
    },
    problems: ["cross-site"],
  },
} as const satisfies Record<string, Operation>;
