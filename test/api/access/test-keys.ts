import { createHash } from "node:crypto";
import type { NewKey } from "../../../src/contract/key-schemas.ts";
import { createSecret } from "../../../src/contract/key-secret.ts";
import {
  bearer,
  broken,
  type Credential,
  cookie,
  environment,
  expired,
  type Kind,
  mistyped,
  replaced,
  revoked,
  scoped,
  unknown,
  type Way,
} from "./credentials.ts";
import type { TestNode } from "./test-node.ts";

interface Held {
  readonly secret: string;
  readonly token: string;
  readonly id?: number;
}

/** A key of every kind, and a session that it was traded for while it was good. */
export class TestKeys {
  readonly #held = new Map<string, Held>();
  readonly #marks: string[] = [];
  #secrets: readonly string[] | undefined;
  /** A key that is never shown, and must never change; and another that anything may be done to. */
  untouchedKeyId: number | undefined;
  spareKeyId: number | undefined;

  /** With nothing but what never was a key, until it is filled. */
  constructor(readonly environmentKey: string) {
    const start = environmentKey.slice(0, -1);
    const other = environmentKey.endsWith("0") ? "1" : "0";
    const never = (kind: Kind, secret: string) =>
      this.#held.set(kind.name, { secret, token: createSecret() });
    never(broken, start);
    never(mistyped, start + other);
    never(unknown, createSecret());
    this.#held.set(environment.name, { secret: environmentKey, token: createSecret(), id: 0 });
  }

  /** Has keys made, one of which is revoked. The node has the environment's key. */
  async createKeys(node: TestNode): Promise<void> {
    const headers = bearer(this.environmentKey);
    const leaked = await this.#hold(node, revoked);
    await node.request({ method: "DELETE", path: `/api/keys/${leaked}`, headers });
    for (const kind of scoped) await this.#hold(node, kind);
    const plain = { scopes: ["users:read"] };
    this.untouchedKeyId = (await this.#make(node, { ...plain, name: "name of a key that stands" })).id;
    this.spareKeyId = (await this.#make(node, { ...plain, name: "name of a key to spare" })).id;
    const token = await signIn(node, this.environmentKey);
    this.#held.set(environment.name, { secret: this.environmentKey, token, id: 0 });
    this.#secrets = undefined;
  }

  /** Has keys made that have ended by themselves when the promise is kept. */
  async createExpiredKeys(node: TestNode): Promise<void> {
    const soon = Date.now() + 1500;
    await this.#hold(node, expired, { expiresAt: new Date(soon).toISOString() });
    const old = await this.#hold(node, replaced);
    await this.#make(node, { replaces: old, graceSeconds: 1 });
    this.#secrets = undefined;
    await Bun.sleep(Math.max(soon, Date.now() + 1000) - Date.now() + 20);
  }

  key(kind: Kind, way: Way = bearer): Credential {
    const { secret, id } = this.#of(kind);
    return {
      ...kind,
      headers: way(secret),
      ...(id !== undefined && { id }),
      ...(kind.refused && { wrong: true }),
    };
  }

  /** The session of a key; one that nobody opened, of what never was a key. */
  session(kind: Kind): Credential {
    const held = this.#held.get(kind.name.replace("a session of ", ""));
    const { token, id } = held ?? { token: createSecret(), id: undefined };
    return {
      ...kind,
      headers: cookie(token),
      ...(id !== undefined && { id }),
      ...(kind.refused && { wrong: true }),
    };
  }

  /** A key and the session of another at once: the key counts. */
  both(key: Kind, session: Kind): Credential {
    const shown = this.key(key);
    const headers = { ...cookie(this.#of(session).token), ...shown.headers };
    return { ...shown, name: `${key.name} beside a session of ${session.name}`, headers };
  }

  secret(kind: Kind): string {
    return this.#of(kind).secret;
  }

  /** What no log and no problem may have in it: nothing by which a key or a session could be used or found. */
  get secrets(): readonly string[] {
    this.#secrets ??= this.#allSecrets();
    return this.#secrets;
  }

  #allSecrets(): string[] {
    const held = [...this.#held.values()];
    const tokens = held.map(({ token }) => token);
    const digests = [...held.map(({ secret }) => secret), ...tokens].flatMap((text) =>
      (["hex", "base64", "base64url"] as const).map((form) =>
        createHash("sha256").update(text).digest(form).replace(/=$/, ""),
      ),
    );
    // What is left of a key without what it may be recognised by is a secret too.
    const rests = held.map(({ secret }) => secret.slice(12));
    return [...rests, ...tokens, ...digests, "roster_session="];
  }

  /** What keys are recognised by: nothing for those who may not manage them. */
  get publicTraces(): readonly string[] {
    return this.#marks;
  }

  #of({ name }: Kind): Held {
    const held = this.#held.get(name);
    if (!held) throw new Error(`There is no ${name}.`);
    return held;
  }

  async #hold(node: TestNode, kind: Kind, more: object = {}): Promise<number> {
    const body = { name: `name of ${kind.name}`, scopes: kind.scopes, ...more };
    const { id, key } = await this.#make(node, body);
    this.#held.set(kind.name, { id, secret: key, token: await signIn(node, key) });
    return id;
  }

  async #make(node: TestNode, body: object): Promise<NewKey> {
    const headers = bearer(this.environmentKey);
    const { text } = await node.request({ method: "POST", path: "/api/keys", headers, body });
    const made: NewKey = JSON.parse(text);
    this.#marks.push(made.name, made.prefix);
    return made;
  }
}

async function signIn(node: TestNode, key: string): Promise<string> {
  const { headers } = await node.request({ method: "POST", path: "/api/session", body: { key } });
  const [, token] = /^roster_session=([^;]+);/.exec(headers.get("set-cookie") ?? "") ?? [];
  if (!token) throw new Error("Signing in gave no cookie.");
  return token;
}
