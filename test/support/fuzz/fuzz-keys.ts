import { type Scope, scopeGroups, scopes } from "../../../src/contract/keys/key.ts";
import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import type { Callable } from "../call.ts";
import { bearer, issueToken } from "../credentials.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import type { FuzzCredential } from "./target.ts";

interface KeySettings {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit?: object;
  readonly quota?: number;
}

/** The keys of callers. Tokens of each are callers too. */
const settings: readonly KeySettings[] = [
  { name: "scim", scopes: scopeGroups.scim },
  ...scopes.map((scope) => ({ name: scope, scopes: [scope] })),
  {
    name: "limited",
    scopes: scopeGroups.scim,
    rateLimit: { requests: 5, seconds: 1 },
    quota: 1000,
  },
];

/** How many times the credentials that requests send most are in the list. */
const weights = { administrator: 20, scim: 4 };

/** A key, and an access token of it. */
interface Caller {
  readonly key: FuzzCredential & { readonly keyId: number };
  readonly token: FuzzCredential;
}

/** The callers of a service that requires a key: keys with each scope, access tokens, and what was valid or never was. */
export class FuzzKeys {
  readonly #service: Callable;
  readonly #administrator: string;
  readonly #callers: Caller[] = [];
  #revoked: Caller | undefined;
  #renewed = 0;

  private constructor(service: Callable, administrator: string) {
    this.#service = service;
    this.#administrator = administrator;
  }

  /** `administrator` is the key in ROSTER_API_KEY. */
  static async create(service: Callable, administrator: string): Promise<FuzzKeys> {
    const keys = new FuzzKeys(service, administrator);
    for (const each of settings) keys.#callers.push(await keys.#connect(each));
    await keys.renew();
    return keys;
  }

  /** The list has the same length and the same kinds of credentials at any time. */
  get credentials(): readonly FuzzCredential[] {
    const administrator: FuzzCredential = { secret: this.#administrator, keyId: 0, isActive: true };
    const [scim] = this.#callers;
    const more = scim ? [scim.key, scim.token] : [];
    const revoked = this.#revoked ? [this.#revoked.key, this.#revoked.token] : [];
    return [
      ...Array.from({ length: weights.administrator }, () => administrator),
      ...Array.from({ length: weights.scim }, () => more).flat(),
      ...this.#callers.flatMap(({ key, token }) => [key, token]),
      ...revoked.map((each) => ({ ...each, isActive: false })),
      { secret: createSecret(), keyId: 1, isActive: false },
      { secret: PLANTED_SECRET, keyId: undefined, isActive: false },
    ];
  }

  /** Puts a new key in place of the next one, and revokes that one while requests use it. */
  async renew(): Promise<void> {
    const place = this.#renewed++ % settings.length;
    const [before, next] = [this.#callers[place], settings[place]];
    if (!before || !next) throw new Error("There is no such key.");
    this.#callers[place] = await this.#connect(next);
    const { status } = await this.#service.call(`/api/keys/${before.key.keyId}`, {
      method: "DELETE",
      headers: bearer(this.#administrator),
    });
    if (status !== 204) throw new Error(`DELETE of a key: status ${status}`);
    this.#revoked = before;
  }

  async #connect(json: KeySettings): Promise<Caller> {
    const response = await this.#service.call("/api/keys", {
      method: "POST",
      json,
      headers: bearer(this.#administrator),
    });
    if (response.status !== 201)
      throw new Error(`POST of a key: ${response.status} ${await response.text()}`);
    const { id, key: secret }: { id: number; key: string } = await response.json();
    const token = await issueToken(this.#service, { id, key: secret });
    return {
      key: { secret, keyId: id, isActive: true },
      token: { secret: token, keyId: undefined, isActive: true },
    };
  }
}
