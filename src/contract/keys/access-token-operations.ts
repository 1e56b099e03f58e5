import Type, { type Static } from "typebox";
import { mediaTypes, type Operation } from "../operation.ts";
import { Integer } from "../scalars.ts";
import { keyLimits } from "./key.ts";

/** The paths of OAuth. Errors below them are those of RFC 6749. */
export const OAUTH_PREFIX = "/oauth";

/** The only grant: the client gets a token for itself. */
export const GRANT_TYPE = "client_credentials";

/** The form that a client sends. Instead of the id and the secret, it can send an Authorization header. */
const AccessTokenInput = Type.Object(
  {
    grant_type: Type.Literal(GRANT_TYPE),
    client_id: Type.Optional(Type.String({ description: "The id of the key." })),
    client_secret: Type.Optional(Type.String({ description: "The secret of the key." })),
  },
  { description: "The credentials of a client (RFC 6749, section 4.4)." },
);

const AccessToken = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal("Bearer"),
  expires_in: Integer({ minimum: 0, maximum: keyLimits.accessTokenSeconds }),
  scope: Type.String(),
});
/** The response to a client that has sent its credentials. */
export type AccessToken = Static<typeof AccessToken>;

const issued: AccessToken = {
  access_token: "roster_token_7_uT3bWq0ZxN8eRk2LpYc6VhJ9sGdM4fA05nTqBw",
  token_type: "Bearer",
  expires_in: keyLimits.accessTokenSeconds,
  scope: "users:read users:write groups:read groups:write",
};

/**
 * Operations on access tokens. The OpenAPI description does not have them: clients of the API send their key, and the requests and
 * errors of these operations are those of RFC 6749.
 */
export const accessTokenOperations = {
  issueAccessToken: {
    id: "issueAccessToken",
    method: "POST",
    path: `${OAUTH_PREFIX}/token`,
    tag: "keys",
    access: "public",
    summary: "Get an access token",
    description: `Exchanges the id and the secret of a key for an access token with the scopes of the key. The token ends after ${keyLimits.accessTokenSeconds / 60} minutes, and with the key.`,
    parameters: [],
    request: {
      types: [mediaTypes.form],
      schema: AccessTokenInput,
      examples: {
        credentials: `grant_type=${GRANT_TYPE}&client_id=7&client_secret=roster_q7Xw2LmZ0aVt9KcR4sYbE1uHdJ8nPf2MwQ00`,
      },
      invalid: "invalid-query",
      unread: true,
    },
    responses: {
      200: {
        description: "The token.",
        body: { type: mediaTypes.json, schema: AccessToken, examples: { token: issued } },
      },
    },
    problems: [
      ...(["invalid-query", "malformed-json", "request-timeout", "too-large"] as const),
      ...(["unsupported-media-type", "unauthenticated", "key-expired", "key-revoked"] as const),
      ...(["cross-site", "rate-limited"] as const),
    ],
  },
} as const satisfies Record<string, Operation>;
