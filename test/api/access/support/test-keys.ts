import { createHash } from "node:crypto";
import type { CreatedKey } from "../../../../src/contract/keys/key-schemas.ts";
import { createAccessToken, createSecret } from "../../../../src/contract/keys/key-secret.ts";
import {
  bearer,
  issueToken,
  type SessionHeaders,
  sameOrigin,
  signIn,
  unknownSession,
} from "../../../support/credentials.ts";
import type { TestService } from "../../../support/service.ts";
import {
  broken,
  type Credential,
  environment,
  expired,
  type Kind,
  keyName,
  mistyped,
  replaced,
  revoked,
  scoped,
  unknown,
  type Way,
} from "./credential-kinds.ts";

const HOUR_MS = 3_600_000;
const unknownToken = createAccessToken(1);

interface StoredCredential {
  readonly secret: string;
  readonly session: SessionHeaders;
  readonly token: string;
  readonly id?: number;
}

/** A key of every kind, each with a session and an access token from when it was active. */
export class TestKeys {
  readonly #credentials = new Map<string, StoredCredential>();
  readonly #publicTraces: string[] = [];
  #secrets: readonly string[] | undefined;
  /** A key that no test uses and that must not change, and a key that tests can change. */
  untouchedKeyId: number | undefined;
  spareKeyId: number | undefined;

  /** Starts with invalid keys only. */
  constructor(readonly environmentKey: string) {
    const start = environmentKey.slice(0, -1);
    const wrongCharacter = environmentKey.endsWith("0") ? "1" : "0";
    const addInvalid = (kind: Kind, secret: string) =>
      this.#credentials.set(kind.name, { secret, session: unknownSession(), token: unknownToken });
    addInvalid(broken, start);
    addInvalid(mistyped, start + wrongCharacter);
    addInvalid(unknown, createSecret());
    this.#credentials.set(environment.name, {
      secret: environmentKey,
      session: unknownSession(),
      token: unknownToken,
      id: 0,
    });
  }

  /** Creates active keys and a revoked one. The node's ROSTER_API_KEY must be `environmentKey`. */
  async createKeys(node: TestService): Promise<void> {
    const headers = bearer(this.environmentKey);
    const revokedId = await this.#create(node, revoked);
    await node.call(`/api/keys/${revokedId}`, { method: "DELETE", headers });
    for (const kind of scoped) await this.#create(node, kind);
    const readOnly = { scopes: ["users:read"] };
    this.untouchedKeyId = (await this.#post(node, { ...readOnly, name: "name of the untouched key" })).id;
    this.spareKeyId = (await this.#post(node, { ...readOnly, name: "name of the spare key" })).id;
    const session = await signIn(node, this.environmentKey);
    const token = await issueToken(node, { id: 0, key: this.environmentKey });
    this.#credentials.set(environment.name, { secret: this.environmentKey, session, token, id: 0 });
    this.#secrets = undefined;
  }

  /** Creates keys that have expired when the promise resolves. So have all access tokens. */
  async createExpiredKeys(node: TestService): Promise<void> {
    const expiresAt = new Date(node.clock.now() + HOUR_MS).toISOString();
    await this.#create(node, expired, { expiresAt });
    const old = await this.#create(node, replaced);
    await this.#post(node, { replaces: old, graceSeconds: 3600 });
    this.#secrets = undefined;
    node.clock.jump(HOUR_MS);
  }

  /** Replaces the access tokens of active keys. */
  async renewTokens(node: TestService): Promise<void> {
    for (const { name } of [...scoped, environment]) {
      const credential = this.#credentials.get(name);
      if (credential?.id === undefined) throw new Error(`There is no ${name}.`);
      const token = await issueToken(node, { id: credential.id, key: credential.secret });
      this.#credentials.set(name, { ...credential, token });
    }
    this.#secrets = undefined;
  }

  key(kind: Kind, way: Way = bearer): Credential {
    const { secret, id } = this.#find(kind);
    return {
      ...kind,
      headers: way(secret),
      ...(id !== undefined && { id }),
      ...(kind.problemType && { wrong: true }),
    };
  }

  /** The session of a key, or an invalid session for an invalid key. */
  session(kind: Kind): Credential {
    const credential = this.#credentials.get(kind.name.replace("a session of ", ""));
    const { session, id } = credential ?? { session: unknownSession(), id: undefined };
    return {
      ...kind,
      headers: { ...sameOrigin, ...session },
      ...(id !== undefined && { id }),
      ...(kind.problemType && { wrong: true }),
    };
  }

  /** The access token of a key, or an unknown one. */
  token(kind: Kind): Credential {
    const credential = this.#credentials.get(kind.name.replace("an access token of ", ""));
    const { token, id } = credential ?? { token: unknownToken, id: undefined };
    return { ...kind, headers: bearer(token), ...(id !== undefined && { id }) };
  }

  /** A key and the session of another key in one request. The key counts. */
  both(key: Kind, session: Kind): Credential {
    const credential = this.key(key);
    const headers = { ...sameOrigin, ...this.#find(session).session, ...credential.headers };
    return { ...credential, name: `${key.name} beside a session of ${session.name}`, headers };
  }

  secret(kind: Kind): string {
    return this.#find(kind).secret;
  }

  /** Texts that no log and no problem may contain: secrets, session tokens and their digests. */
  get secrets(): readonly string[] {
    this.#secrets ??= this.#listSecrets();
    return this.#secrets;
  }

  #listSecrets(): string[] {
    const credentials = [...this.#credentials.values()];
    const tokens = credentials.flatMap(({ session }) => [
      session["x-session-token"],
      session.cookie.replace(/^.*=/, ""),
    ]);
    const accessTokens = credentials.map(({ token }) => token);
    const digests = [...credentials.map(({ secret }) => secret), ...tokens, ...accessTokens].flatMap((text) =>
      (["hex", "base64", "base64url"] as const).map((encoding) =>
        createHash("sha256").update(text).digest(encoding).replace(/=$/, ""),
      ),
    );
    // The part of the secret after the public prefix.
    const endings = credentials.map(({ secret }) => secret.slice(12));
    const randomParts = accessTokens.map((token) => token.slice(token.lastIndexOf("_") + 1));
    return [...endings, ...tokens, ...randomParts, ...digests, "roster_session_"];
  }

  /** Names and prefixes of the keys. Callers without keys:manage must not see them. */
  get publicTraces(): readonly string[] {
    return this.#publicTraces;
  }

  #find({ name }: Kind): StoredCredential {
    const credential = this.#credentials.get(name);
    if (!credential) throw new Error(`There is no ${name}.`);
    return credential;
  }

  async #create(node: TestService, kind: Kind, more: object = {}): Promise<number> {
    const body = { name: keyName(kind), scopes: kind.scopes, ...more };
    const { id, key } = await this.#post(node, body);
    this.#credentials.set(kind.name, {
      id,
      secret: key,
      session: await signIn(node, key),
      token: await issueToken(node, { id, key }),
    });
    return id;
  }

  async #post(node: TestService, body: object): Promise<CreatedKey> {
    const headers = bearer(this.environmentKey);
    const response = await node.call("/api/keys", { method: "POST", headers, json: body });
    const key: CreatedKey = await response.json();
    this.#publicTraces.push(key.name, key.prefix);
    return key;
  }
}
