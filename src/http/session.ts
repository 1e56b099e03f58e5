import type { Session } from "../contract/key.ts";
import { operations } from "../contract/operations.ts";
import type { Caller } from "../domain/caller.ts";
import { isObject } from "../domain/check-user.ts";
import { digestOf } from "../domain/digest.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Sessions } from "../domain/sessions.ts";
import type { ClientAddress } from "./client-address.ts";
import { isFromOwnPage, sessionCookie, sessionTokenOf } from "./credentials.ts";
import { type Entry, type Exchange, emptyAnswer, jsonAnswer } from "./exchange.ts";
import type { Gate } from "./gate.ts";
import { type Bodies, requireType } from "./read-body.ts";
import type { Routes } from "./routes.ts";

/** Signing in and out, for the service's own pages. */
export function serveSession(
  routes: Routes,
  gate: Gate,
  sessions: Sessions,
  addresses: ClientAddress,
  bodies: Bodies,
): void {
  const tokenOf = ({ request }: Exchange) => sessionTokenOf(request, addresses.isSecure(request));

  routes.serve(operations.signIn, async (exchange) => {
    const { request } = exchange;
    requireType(request, operations.signIn.request.types, {});
    refuseOtherSites(request);
    const secret = secretOf(await bodies.readJson(exchange));
    const key = await gate.verify(exchange, secret);
    const before = tokenOf(exchange);
    if (before !== undefined) await sessions.close(before);
    const { token, expiresAt } = await sessions.open(digestOf(secret));
    const seconds = Math.round((expiresAt - Date.now()) / 1000);
    return sessionAnswer(
      exchange,
      key,
      { auth: "session", expiresAt },
      {
        "set-cookie": sessionCookie(token, seconds, addresses.isSecure(request)),
        "cache-control": "no-store",
      },
    );
  });

  routes.serve(operations.whoAmI, (exchange) => sessionAnswer(exchange, exchange.caller, exchange.entry));

  routes.serve(operations.signOut, async (exchange) => {
    const token = tokenOf(exchange);
    if (token === undefined) return emptyAnswer(exchange, 204);
    if (!isFromOwnPage(exchange.request)) throw new Refusal("cross-site");
    await sessions.close(token);
    return emptyAnswer(exchange, 204, {
      "set-cookie": sessionCookie("", 0, addresses.isSecure(exchange.request)),
    });
  });
}

/** Programs say nothing of where they come from, and may sign in; a page of another site may not do so for its visitor. */
function refuseOtherSites(request: Request): void {
  const saysWhere = request.headers.has("sec-fetch-site") || request.headers.has("origin");
  if (saysWhere && !isFromOwnPage(request)) throw new Refusal("cross-site");
}

function secretOf(body: unknown): string {
  if (isObject(body) && typeof body.key === "string" && Object.keys(body).length === 1) return body.key;
  const detail = 'Send an object with the key alone: {"key": "roster_…"}.';
  throw new Refusal("invalid-key", detail, [{ pointer: "/key", detail }]);
}

function sessionAnswer(
  exchange: Exchange,
  { actor, name, scopes }: Caller,
  { auth, expiresAt }: Entry,
  headers?: Record<string, string>,
): Response {
  const session: Session = {
    auth,
    key: actor === null ? null : { id: actor, name },
    scopes: [...scopes],
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
  return jsonAnswer(exchange, 200, JSON.stringify(session), headers);
}
