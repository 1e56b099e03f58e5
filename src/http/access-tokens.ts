import {
  type AccessToken,
  accessTokenOperations,
  GRANT_TYPE,
  OAUTH_PREFIX,
} from "../contract/keys/access-token-operations.ts";
import type { Clock } from "../domain/clock.ts";
import { hashSecret } from "../domain/keys/hash-secret.ts";
import type { Sessions } from "../domain/keys/sessions.ts";
import { parseForm, readClient } from "./access/client-credentials.ts";
import type { Gate } from "./access/gate.ts";
import type { OriginCheck } from "./access/origin-check.ts";
import type { BodyReader } from "./body-reader.ts";
import { OAuthError, oauthErrorResponse, uncached } from "./oauth-error.ts";
import { readQueryString } from "./query/query-string.ts";
import { jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Credentials, and what else a client may send, take much less. */
const MAX_BODY_BYTES = 8192;

export interface AccessTokenParts {
  readonly gate: Pick<Gate, "verify">;
  readonly sessions: Pick<Sessions, "issueToken">;
  readonly origins: Pick<OriginCheck, "rejectForeignPages">;
  readonly bodyReader: Pick<BodyReader, "readText">;
  readonly clock: Clock;
}

/** Registers the token endpoint of OAuth 2.0 (RFC 6749) for client credentials, and the format of its errors. */
export function serveAccessTokens(router: Router, parts: AccessTokenParts): void {
  const { gate, sessions, origins, bodyReader, clock } = parts;
  router.addArea({ prefix: OAUTH_PREFIX, renderProblem: oauthErrorResponse });

  router.serve(accessTokenOperations.issueAccessToken, async (context) => {
    const { request, url } = context;
    origins.rejectForeignPages(request);
    if (readQueryString(url) !== "") {
      throw new OAuthError("invalid_request", "Send parameters in the body: logs store URLs.");
    }
    const form = parseForm(await bodyReader.readText(context, MAX_BODY_BYTES));
    const { id, secret } = readClient(request, form);
    checkGrant(form.get("grant_type"));
    const key = await gate.verify(context, secret, id);
    const { token, expiresAt } = await sessions.issueToken(key.actor.id, hashSecret(secret));
    const end = Math.min(expiresAt, key.expiresAt ?? expiresAt);
    const issued: AccessToken = {
      access_token: token,
      token_type: "Bearer",
      expires_in: Math.max(0, Math.floor((end - clock.now()) / 1000)),
      scope: key.scopes.join(" "),
    };
    return jsonResponse(context, 200, JSON.stringify(issued), uncached);
  });
}

/** Throws `invalid_request` or `unsupported_grant_type`. */
function checkGrant(grantType: string | undefined): void {
  if (grantType === undefined) throw new OAuthError("invalid_request", `Send grant_type=${GRANT_TYPE}.`);
  if (grantType !== GRANT_TYPE) {
    throw new OAuthError("unsupported_grant_type", `This service supports only ${GRANT_TYPE}.`);
  }
}
