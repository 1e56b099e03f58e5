import { isObject } from "../contract/json.ts";
import type { CreatedSession, Session } from "../contract/keys/key-schemas.ts";
import { operations } from "../contract/operations.ts";
import type { Caller } from "../domain/caller.ts";
import type { Clock } from "../domain/clock.ts";
import { hashSecret } from "../domain/keys/hash-secret.ts";
import { findCookie, type Sessions } from "../domain/keys/sessions.ts";
import { ProblemError } from "../domain/problem-error.ts";
import type { ClientAddress } from "./access/client-address.ts";
import { cookieName, readSession, sessionCookie } from "./access/credentials.ts";
import type { Gate } from "./access/gate.ts";
import type { OriginCheck } from "./access/origin-check.ts";
import type { Authentication } from "./request-context.ts";
import { emptyResponse, jsonResponse } from "./responses.ts";
import type { Router } from "./router.ts";

/** Registers sign-in and sign-out for the service's own pages. */
export function serveSession(
  router: Router,
  gate: Gate,
  sessions: Sessions,
  addresses: ClientAddress,
  origins: OriginCheck,
  clock: Clock,
  deletedDays: number,
): void {
  const describe = ({ actor, name, scopes }: Caller, { auth, expiresAt }: Authentication): Session => ({
    auth,
    key: "id" in actor ? { id: actor.id, name } : null,
    scopes: [...scopes],
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    deletedDays,
  });
  /** Ends the session of the request, if it has one. Returns the name of the session's cookie. */
  const closeSession = async (request: Request): Promise<string | undefined> => {
    const { token = "", cookies } = readSession(request, addresses.isSecure(request));
    const values = cookies.map(({ value }) => value);
    const value = findCookie(token, values);
    if (value === undefined) return undefined;
    await sessions.close(token, values);
    return cookies.find((cookie) => cookie.value === value)?.name;
  };

  router.serve(operations.signIn, async (context, { body }) => {
    const { request } = context;
    origins.rejectForeignPages(request);
    const secret = parseSignIn(body);
    const key = await gate.verify(context, secret);
    await closeSession(request);
    const { cookie: value, token, expiresAt } = await sessions.open(hashSecret(secret));
    const seconds = Math.ceil((expiresAt - clock.now()) / 1000);
    const secure = addresses.isSecure(request);
    const session: CreatedSession = { ...describe(key, { auth: "session", expiresAt }), token };
    return jsonResponse(context, 200, JSON.stringify(session), {
      "set-cookie": sessionCookie({ name: cookieName(request, secure), value }, seconds, secure),
    });
  });

  router.serve(operations.whoAmI, (context) =>
    jsonResponse(context, 200, JSON.stringify(describe(context.caller, context.authentication))),
  );

  router.serve(operations.signOut, async (context) => {
    const { request } = context;
    const secure = addresses.isSecure(request);
    if (readSession(request, secure).cookies.length === 0) return emptyResponse(context, 204);
    if (!origins.isSameOrigin(request)) throw new ProblemError("cross-site");
    const name = (await closeSession(request)) ?? cookieName(request, secure);
    return emptyResponse(context, 204, { "set-cookie": sessionCookie({ name, value: "" }, 0, secure) });
  });
}

function parseSignIn(body: unknown): string {
  if (isObject(body) && typeof body.key === "string" && Object.keys(body).length === 1) return body.key;
  const detail = 'Send an object with only the key: {"key": "roster_…"}.';
  throw new ProblemError("invalid-key", detail, [{ pointer: "/key", detail }]);
}
