import type { Session } from "../contract/key-schemas.ts";
import { operations } from "../contract/operations.ts";
import type { Caller } from "../domain/caller.ts";
import { isObject } from "../domain/check-user.ts";
import { hashSecret } from "../domain/hash-secret.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Sessions } from "../domain/sessions.ts";
import type { ClientAddress } from "./access/client-address.ts";
import { isSameOrigin, readSessionToken, sessionCookie } from "./access/credentials.ts";
import type { Gate } from "./access/gate.ts";
import { type BodyReader, requireContentType } from "./body-reader.ts";
import type { Authentication, RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers sign-in and sign-out for the service's own pages. */
export function serveSession(
  router: Router,
  gate: Gate,
  sessions: Sessions,
  addresses: ClientAddress,
  bodyReader: BodyReader,
): void {
  const readToken = ({ request }: RequestContext) => readSessionToken(request, addresses.isSecure(request));

  router.serve(operations.signIn, async (context) => {
    const { request } = context;
    requireContentType(request, operations.signIn.request.types, {});
    rejectOtherSites(request);
    const secret = parseSignIn(await bodyReader.readJson(context));
    const key = await gate.verify(context, secret);
    const previousToken = readToken(context);
    if (previousToken !== undefined) await sessions.close(previousToken);
    const { token, expiresAt } = await sessions.open(hashSecret(secret));
    const seconds = Math.round((expiresAt - Date.now()) / 1000);
    return sessionResponse(
      context,
      key,
      { auth: "session", expiresAt },
      {
        "set-cookie": sessionCookie(token, seconds, addresses.isSecure(request)),
        "cache-control": "no-store",
      },
    );
  });

  router.serve(operations.whoAmI, (context) =>
    sessionResponse(context, context.caller, context.authentication),
  );

  router.serve(operations.signOut, async (context) => {
    const token = readToken(context);
    if (token === undefined) return emptyResponse(context, 204);
    if (!isSameOrigin(context.request)) throw new ProblemError("cross-site");
    await sessions.close(token);
    return emptyResponse(context, 204, {
      "set-cookie": sessionCookie("", 0, addresses.isSecure(context.request)),
    });
  });
}

/** Programs send neither header and may sign in. A page of another site must not sign in its visitor. */
function rejectOtherSites(request: Request): void {
  const isFromBrowser = request.headers.has("sec-fetch-site") || request.headers.has("origin");
  if (isFromBrowser && !isSameOrigin(request)) throw new ProblemError("cross-site");
}

function parseSignIn(body: unknown): string {
  if (isObject(body) && typeof body.key === "string" && Object.keys(body).length === 1) return body.key;
  const detail = 'Send an object with only the key: {"key": "roster_…"}.';
  throw new ProblemError("invalid-key", detail, [{ pointer: "/key", detail }]);
}

function sessionResponse(
  context: RequestContext,
  { actor, name, scopes }: Caller,
  { auth, expiresAt }: Authentication,
  headers?: Record<string, string>,
): Response {
  const session: Session = {
    auth,
    key: actor === null ? null : { id: actor, name },
    scopes: [...scopes],
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
  return jsonResponse(context, 200, JSON.stringify(session), headers);
}
