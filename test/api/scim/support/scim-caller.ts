import { isObject, type JsonObject } from "../../../../src/contract/json.ts";
import type { Scope } from "../../../../src/contract/keys/key.ts";
import { createSecret } from "../../../../src/contract/keys/key-secret.ts";
import type { Call, Callable, TestRequest } from "../../../support/call.ts";
import { bearer } from "../../../support/credentials.ts";
import type { Engine } from "../../../support/engines.ts";
import { type Settings, startService, type TestService } from "../../../support/service.ts";

/** The scopes that `roster keys create --scope scim` grants. */
const scimScopes: readonly Scope[] = ["users:read", "users:write", "groups:read", "groups:write"];

export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty without a body. */
  readonly body: JsonObject;
}

/** Sends requests to the paths of SCIM with one key. */
export class ScimCaller {
  readonly #service: Callable;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    service: Callable,
    key: string,
    readonly keyId: number,
  ) {
    this.#service = service;
    this.#headers = { "content-type": "application/scim+json", ...bearer(key) };
  }

  /** `request` is such as `GET /Users/42`. The body is sent as JSON, or as it is if it is text. */
  async send(
    request: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<ScimAnswer> {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const response = await this.#service.call(`/scim/v2${path}`, {
      method,
      ...(typeof body === "string" ? { body } : { json: body }),
      headers: { ...this.#headers, ...headers },
    });
    const text = await response.text();
    const parsed: unknown = text === "" ? {} : JSON.parse(text);
    if (!isObject(parsed)) throw new Error(`The body is no object: ${text.slice(0, 300)}`);
    return { status: response.status, headers: response.headers, body: parsed };
  }

  /** The status, and the `scimType` of an error. */
  async outcome(
    request: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const { status, body: received } = await this.send(request, body, headers);
    return received.scimType === undefined ? String(status) : `${status} ${received.scimType}`;
  }

  /** Sends a request that has to succeed. */
  async expect(
    request: string,
    body?: object | string,
    headers?: Record<string, string>,
  ): Promise<ScimAnswer> {
    const answer = await this.send(request, body, headers);
    if (answer.status >= 300) throw new Error(`${request}: ${JSON.stringify(answer.body).slice(0, 1000)}`);
    return answer;
  }

  /** Creates a resource, and returns its id. */
  async create(path: "/Users" | "/Groups", body: object): Promise<string> {
    return String((await this.expect(`POST ${path}`, body)).body.id);
  }
}

/** A service that requires a key, seen from inside and through SCIM. */
export interface ScimService extends TestService {
  /** Sends a request of an administrator to the API. */
  api(path: string, request?: TestRequest): Promise<Response>;
  /** Imports users through the API, and returns their ids. */
  importUsers(users: readonly object[]): Promise<number[]>;
  connect(...scopes: readonly Scope[]): Promise<ScimCaller>;
}

export async function startScimService(engine?: Engine, settings: Settings = {}): Promise<ScimService> {
  const apiKey = createSecret();
  const service = await startService({ auth: "required", apiKey, rateLimit: 0, ...settings }, engine);
  const api: ScimService["api"] = (path, request) =>
    service.call(path, { ...request, headers: { ...request?.headers, ...bearer(apiKey) } });
  return {
    ...service,
    api,
    async importUsers(users) {
      const response = await service.call("/api/users/import", {
        method: "POST",
        headers: { ...bearer(apiKey), "content-type": "application/x-ndjson" },
        body: users.map((user) => `${JSON.stringify(user)}\n`).join(""),
      });
      const lines = (await response.text()).trim().split("\n");
      return lines.map((line) => JSON.parse(line).id);
    },
    connect: (...scopes) => createScimKey(service, api, scopes.length > 0 ? scopes : scimScopes),
  };
}

/** Creates a key with `api`, and connects with this key. */
export async function createScimKey(
  service: Callable,
  api: Call,
  scopes: readonly Scope[] = scimScopes,
): Promise<ScimCaller> {
  const json = { name: "SCIM", scopes };
  const created = await api("/api/keys", { method: "POST", json });
  const { id, key }: { id: number; key: string } = await created.json();
  return new ScimCaller(service, key, id);
}

/** The body of a PATCH with these operations. */
export const patchOf = (...operations: readonly object[]) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: operations,
});
