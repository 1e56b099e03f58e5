import type { SimulatedNode } from "./node.ts";

/** When something stopped being allowed: somebody asked for it, and got the answer that it is done. */
interface End {
  readonly at: number;
  readonly node: SimulatedNode;
}

/** A key that a caller created. */
export interface KnownKey {
  readonly id: number;
  readonly secret: string;
  readonly createdAt: number;
  /** Somebody has asked to revoke it. */
  isEnding: boolean;
  /** It is revoked. */
  end: End | undefined;
}

/** A session that a caller opened with a key. */
export interface KnownSession {
  readonly key: KnownKey;
  readonly cookie: string;
  readonly token: string;
  isEnding: boolean;
  end: End | undefined;
}

/** How a caller proves who it is. */
export type Credential =
  | { readonly kind: "none" }
  | { readonly kind: "key"; readonly key: KnownKey }
  | { readonly kind: "session"; readonly session: KnownSession };

export const NOBODY: Credential = { kind: "none" };

export function toHeaders(credential: Credential): Record<string, string> {
  switch (credential.kind) {
    case "none":
      return {};
    case "key":
      return { authorization: `Bearer ${credential.key.secret}` };
    case "session":
      return {
        cookie: credential.session.cookie,
        "x-session-token": credential.session.token,
        "sec-fetch-site": "same-origin",
      };
  }
}

/** Since when the caller has had to be refused; undefined if it may call, or if nobody knows yet. */
export function endOf(credential: Credential): End | undefined {
  if (credential.kind === "none") return undefined;
  if (credential.kind === "key") return credential.key.end;
  const { end, key } = credential.session;
  if (!end || !key.end) return end ?? key.end;
  return end.at < key.end.at ? end : key.end;
}

/** Whether the caller may call for sure: nobody has asked for the end. */
export function isValid(credential: Credential): boolean {
  if (credential.kind === "none") return false;
  if (credential.kind === "key") return !credential.key.isEnding;
  return !credential.session.isEnding && !credential.session.key.isEnding;
}

export function describeCredential(credential: Credential): string {
  if (credential.kind === "none") return "nobody";
  return credential.kind === "key"
    ? `key ${credential.key.id}`
    : `a session of key ${credential.session.key.id}`;
}
