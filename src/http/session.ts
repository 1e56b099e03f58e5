import type { Session } from "../contract/key-schemas.ts";
import { operations } from "../contract/operations.ts";
import type { Caller } from "../domain/caller.ts";
import { isObject } from "../domain/check-user.ts";
import { hashSecret } from "../domain/hash-secret.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { Sessions } from "../domain/sessions.ts";
import { type BodyReader, requireContentType } from "./body-reader.ts";
import type { ClientAddress } from "./client-address.ts";
import { isFromOwnPage, readSessionToken, sessionCookie } from "./credentials.ts";
import type { Gate } from "./gate.ts";
import type { Authentication, RequestContext } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Signing in and out, for the service's own pages. */
export function serveSession(
  router: Router,
  gate: Gate,
  sessions: Sessions,
  addresses: ClientAddress,
  bodyReader: BodyReader,
): void {
  const tokenOf = ({ request }: RequestContext) => readSessionToken(request, addresses.isSecure(request));

  router.serve(operations.signIn, async (context) => {
    const { request } = context;
    requireContentType(request, operations.signIn.request.types, {});
    refuseOtherSites(request);
    const secret = secretOf(await bodyReader.readJson(context));
    const key = await gate.verify(context, secret);
    const before = tokenOf(context);
    if (before !== undefined) await sessions.close(before);
    const { token, expiresAt } = await sessions.open(hashSecret(secret));
    const seconds = Math.round((expiresAt - Date.now()) / 1000);
    return sessionAnswer(
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
    sessionAnswer(context, context.caller, context.authentication),
  );

  router.serve(operations.signOut, async (context) => {
    const token = tokenOf(context);
    if (token === undefined) return emptyResponse(context, 204);
    if (!isFromOwnPage(context.request)) throw new ProblemError("cross-site");
    await sessions.close(token);
    return emptyResponse(context, 204, {
      "set-cookie": sessionCookie("", 0, addresses.isSecure(context.request)),
    });
  });
}

/** Programs say nothing of where they come from, and may sign in; a page of another site may not do so for its visitor. */
function refuseOtherSites(request: Request): void {
  const saysWhere = request.headers.has("sec-fetch-site") || request.headers.has("origin");
  if (saysWhere && !isFromOwnPage(request)) throw new ProblemError("cross-site");
}

function secretOf(body: unknown): string {
  if (isObject(body) && typeof body.key === "string" && Object.keys(body).length === 1) return body.key;
  const detail = 'Send an object with the key alone: {"key": "roster_…"}.';
  throw new ProblemError("invalid-key", detail, [{ pointer: "/key", detail }]);
}

function sessionAnswer(
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
