import { type Scope, scopes } from "../../../src/contract/key.ts";
import type { CredentialState } from "./access-rules.ts";

/** A kind of key, or of session. */
export interface Kind extends CredentialState {
  /** As the subject of a sentence. */
  readonly name: string;
}

/** What a request shows of its caller. */
export interface Credential extends Kind {
  readonly headers: Readonly<Record<string, string>>;
  /** What the log is to say of the caller, once it is known. */
  readonly id?: number;
  /** So many wrong keys or sessions from one address, and it has to wait. */
  readonly wrong?: true;
}

/** Each set of scopes that a key may have. */
export const subsets: readonly (readonly Scope[])[] = Array.from({ length: 2 ** scopes.length - 1 }, (_, n) =>
  scopes.filter((_, place) => ((n + 1) >> place) & 1),
);

export const nothing: Credential = { name: "nothing", headers: {}, refused: "unauthenticated", scopes: [] };

const never = (name: string): Kind => ({ name, refused: "unauthenticated", scopes: [] });
export const broken = never("a text that is no key");
export const mistyped = never("a key with one character changed");
export const unknown = never("a key that nobody made");

const ended = (name: string, refused: "key-expired" | "key-revoked"): Kind => ({ name, refused, scopes });
export const expired = ended("a key that has expired", "key-expired");
export const replaced = ended("a key that was replaced, past its grace", "key-expired");
export const revoked = ended("a key that was revoked", "key-revoked");

export const scoped: readonly Kind[] = subsets.map((set) => ({
  name: `a key for ${set.join(" and ")}`,
  scopes: set,
}));
export const environment: Kind = { name: "the environment's key", scopes };

/** What was traded for a session: those of a key that has ended have ended with it. */
const traded: readonly Kind[] = [expired, replaced, revoked, ...scoped, environment];
export const keyKinds: readonly Kind[] = [broken, mistyped, unknown, ...traded];
export const sessionKinds: readonly Kind[] = [
  never("a session that nobody opened"),
  ...traded.map(({ name, scopes, refused }): Kind => {
    const session = { name: `a session of ${name}`, scopes };
    return refused ? { ...session, refused: "unauthenticated" } : session;
  }),
];

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** What a browser sends from a page of the service's own. */
export const cookie = (token: string) => ({
  cookie: `roster_session=${token}`,
  "sec-fetch-site": "same-origin",
});

export type Way = (key: string) => Record<string, string>;

/** Each way to send a key. */
export const ways: Readonly<Record<string, Way>> = {
  "as a bearer": bearer,
  "as a bearer in lower case": (key) => ({ authorization: `bearer ${key}` }),
  "as X-API-Key": (key) => ({ "x-api-key": key }),
  "as X-API-Key beside a proxy's password": (key) => ({
    "x-api-key": key,
    authorization: "Basic dXNlcjpwYXNz",
  }),
};
