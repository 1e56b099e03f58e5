import { keyLimits, type Scope, scopes } from "../../../../src/contract/keys/key.ts";
import { bearer } from "../../../support/credentials.ts";
import type { CredentialState } from "./access-rules.ts";

/** A kind of key, session or access token. */
export interface Kind extends CredentialState {
  /** The subject of the test name. */
  readonly name: string;
}

/** The authentication headers of a request. */
export interface Credential extends Kind {
  readonly headers: Readonly<Record<string, string>>;
  /** The key id that the log must contain. */
  readonly id?: number;
  /** Whether it counts as a wrong credential, which is rate limited per address. */
  readonly wrong?: true;
}

/** Sets of scopes that tell apart which scope an operation needs: each scope alone, all but one, and all. */
export const subsets: readonly (readonly Scope[])[] = [
  ...scopes.map((scope) => [scope]),
  ...scopes.map((left) => scopes.filter((scope) => scope !== left)),
  scopes,
];

export const nothing: Credential = {
  name: "nothing",
  headers: {},
  problemType: "unauthenticated",
  scopes: [],
};

const invalid = (name: string): Kind => ({ name, problemType: "unauthenticated", scopes: [] });
export const broken = invalid("a malformed key");
export const mistyped = invalid("a key with one character changed");
export const unknown = invalid("an unknown key");

const inactive = (name: string, problemType: "key-expired" | "key-revoked"): Kind => ({
  name,
  problemType,
  scopes,
});
export const expired = inactive("an expired key", "key-expired");
export const replaced = inactive("a replaced key after its grace period", "key-expired");
export const revoked = inactive("a revoked key", "key-revoked");

export const scoped: readonly Kind[] = subsets.map((set) => ({
  name: `a key for ${set.join(" and ")}`,
  scopes: set,
}));
/** The name that a key of this kind has. */
export function keyName({ name }: Kind): string {
  return `name of ${name}`.slice(0, keyLimits.nameCharacters).trim();
}
export const environment: Kind = { name: "the key in ROSTER_API_KEY", scopes };

/** Kinds of keys that have a session. The session of an expired or revoked key is not valid. */
const signedIn: readonly Kind[] = [expired, replaced, revoked, ...scoped, environment];
export const keyKinds: readonly Kind[] = [broken, mistyped, unknown, ...signedIn];
const kindsOf = (thing: "a session" | "an access token"): readonly Kind[] =>
  signedIn.map(({ name, scopes, problemType }) => {
    const kind = { name: `${thing} of ${name}`, scopes, standsForKey: true } as const;
    return problemType ? { ...kind, problemType: "unauthenticated" } : kind;
  });
export const sessionKinds: readonly Kind[] = [invalid("an unknown session"), ...kindsOf("a session")];
export const tokenKinds: readonly Kind[] = [
  invalid("an unknown access token"),
  ...kindsOf("an access token"),
];

export type Way = (key: string) => Record<string, string>;

/** Every way to send a key. */
export const ways: Readonly<Record<string, Way>> = {
  "as a bearer token": bearer,
  "as a bearer token with a lower-case scheme": (key) => ({ authorization: `bearer ${key}` }),
  "as X-API-Key": (key) => ({ "x-api-key": key }),
  "as X-API-Key beside Basic authentication": (key) => ({
    "x-api-key": key,
    authorization: "Basic dXNlcjpwYXNz",
  }),
};
