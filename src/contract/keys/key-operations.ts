import Type from "typebox";
import { link, location, setCookie } from "../headers.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { idPageParameters, idParameter } from "../parameters.ts";
import type { ProblemType } from "../problems.ts";
import { daysParameter } from "../users/stats-operations.ts";
import { UsageHistory } from "../users/stats-schemas.ts";
import { keyLimits } from "./key.ts";
import { CreatedKey, CreatedSession, Key, KeyInput, Session, SessionInput } from "./key-schemas.ts";

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
const createdKey: CreatedKey = {
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
  deletedDays: 30,
};

const newSession: CreatedSession = {
  ...signedIn,
  token: "mJ0xQ2v7Yh1sTn4bKc8dRw5eLz6uGf3aVp9iXo0tSyE47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
};

const id = idParameter("The key's id.", {
  notFound: "key-not-found",
  example: ci.id,
  component: "KeyId",
});
const bodyProblems: ProblemType[] = [
  "malformed-json",
  "request-timeout",
  "too-large",
  "unsupported-media-type",
  "invalid-key",
];
/** Operations on API keys and sessions. */
export const keyOperations = {
  listKeys: {
    id: "listKeys",
    method: "GET",
    path: "/api/keys",
    tag: "keys",
    access: ["keys:manage"],
    summary: "List keys",
    description:
      "Lists all keys by id, including expired and revoked ones. The response never contains a secret.",
    parameters: idPageParameters,
    list: ["next"],
    responses: {
      200: {
        description: "A page of keys.",
        headers: { Link: link },
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
    access: ["keys:manage"],
    keyOnly: true,
    summary: "Create a key",
    description:
      "Only this response contains the secret. A session or an access token is not enough for this request: send an API key. You can only grant scopes that your own key has. The response to the first key comes half a second later, when every node requires keys. With `replaces`, the new key replaces another one, which expires after `graceSeconds`.",
    parameters: [],
    request: {
      types: [mediaTypes.json],
      schema: KeyInput,
      examples: {
        "read only": { name: "ci", scopes: ["users:read"], rateLimit: { requests: 10, seconds: 60 } },
        replacement: { replaces: 7, graceSeconds: 3600 },
      },
      invalid: "invalid-key",
    },
    responses: {
      201: {
        description: "The new key, with its secret.",
        headers: { Location: location },
        body: { type: mediaTypes.json, schema: CreatedKey, examples: { ci: createdKey } },
      },
    },
    problems: [...bodyProblems, "key-required"],
    logged: true,
  },
  readKey: {
    id: "readKey",
    method: "GET",
    path: "/api/keys/{id}",
    tag: "keys",
    access: ["keys:manage"],
    summary: "Read a key",
    description: "Includes when the key was last used, and its usage this month.",
    parameters: [id],
    responses: {
      200: { description: "The key.", body: { type: mediaTypes.json, schema: Key, examples: { ci } } },
    },
    problems: ["key-not-found"],
  },
  readKeyUsage: {
    id: "readKeyUsage",
    method: "GET",
    path: "/api/keys/{id}/usage",
    tag: "keys",
    access: ["keys:manage"],
    summary: "Read the daily usage of a key",
    description: `The requests with the key on each of the last days, accurate to about a second. Days are calendar days in UTC. The service keeps the usage of ${keyLimits.usageDays} days.`,
    parameters: [id, daysParameter],
    responses: {
      200: {
        description: "The last days, oldest first.",
        body: {
          type: mediaTypes.json,
          schema: UsageHistory,
          examples: {
            "two days": {
              days: [
                { date: "2026-11-14", requests: 5 },
                { date: "2026-11-15", requests: 12 },
              ],
            },
          },
        },
      },
    },
    problems: ["invalid-query", "key-not-found"],
  },
  revokeKey: {
    id: "revokeKey",
    method: "DELETE",
    path: "/api/keys/{id}",
    tag: "keys",
    access: ["keys:manage"],
    summary: "Revoke a key",
    description:
      "Revokes the key, its sessions and its access tokens for good, within a second on every node. The record stays. Revoking a key again changes nothing.",
    parameters: [id],
    responses: { 204: { description: "The key is revoked." } },
    problems: ["key-not-found"],
    logged: true,
  },
  signIn: {
    id: "signIn",
    method: "POST",
    path: "/api/session",
    tag: "keys",
    access: "public",
    summary: "Sign in",
    description: `Exchanges a key for a session on the pages of this service, valid for ${keyLimits.sessionHours} hours: a cookie that scripts cannot read, and a token that the page sends as X-Session-Token. Requests need both. Ends the browser's previous session.`,
    parameters: [],
    request: {
      types: [mediaTypes.json],
      schema: SessionInput,
      examples: { key: { key: createdKey.key } },
      invalid: "invalid-key",
    },
    responses: {
      200: {
        description: "The session with its token. Set-Cookie has its cookie.",
        headers: { "Set-Cookie": setCookie },
        body: { type: mediaTypes.json, schema: CreatedSession, examples: { ci: newSession } },
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
    summary: "Get the current session",
    description: "The caller's key and scopes, with any kind of authentication.",
    parameters: [],
    responses: {
      200: {
        description: "The caller.",
        body: {
          type: mediaTypes.json,
          schema: Session,
          examples: {
            ci: signedIn,
            open: {
              auth: "open",
              key: null,
              scopes: [
                "users:read",
                "users:write",
                "users:purge",
                "events:read",
                "webhooks:manage",
                "keys:manage",
              ],
              expiresAt: null,
              deletedDays: 30,
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
    description: "Ends the session, within a second on every node. Does nothing without a session.",
    parameters: [],
    responses: {
      204: {
        description: "The session has ended, or there was none.",
        headers: { "Set-Cookie": setCookie },
      },
    },
    problems: ["cross-site"],
  },
} as const satisfies Record<string, Operation>;
