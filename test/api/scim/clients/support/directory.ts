import { afterAll, beforeAll } from "bun:test";
import Type from "typebox";
import Value from "typebox/value";
import { Event } from "../../../../../src/contract/events/event-schemas.ts";
import type { JsonObject } from "../../../../../src/contract/json.ts";
import type { Scope } from "../../../../../src/contract/keys/key.ts";
import { createSecret } from "../../../../../src/contract/keys/key-secret.ts";
import { bearer } from "../../../../support/credentials.ts";
import type { Engine } from "../../../../support/engines.ts";
import { startService, type TestService } from "../../../../support/service.ts";
import { ProvisioningClient } from "./provisioning-client.ts";

/** What a key for provisioning may do. */
const provisioningScopes: readonly Scope[] = ["users:read", "users:write", "groups:read", "groups:write"];

/** The answer to a client that asks for a token (RFC 6749, section 5.1). */
const AccessToken = Type.Object({ access_token: Type.String(), token_type: Type.Literal("Bearer") });

/** A service around the tests of the current `describe`, seen through its own API: what the SCIM endpoints have done to it. */
export class Directory {
  readonly #adminKey = createSecret();
  #service: TestService | undefined;

  constructor(engine: Engine) {
    beforeAll(async () => {
      const settings = { auth: "required", apiKey: this.#adminKey, rateLimit: 0 };
      this.#service = await startService(settings, engine);
    });
    afterAll(() => this.#service?.stop());
  }

  /** Connects an identity provider, with a key of its own. `headers` come with every request. */
  async connect(name: string, headers: Record<string, string> = {}): Promise<ProvisioningClient> {
    const { key } = await this.#send("POST", "/api/keys", { name, scopes: provisioningScopes });
    return new ProvisioningClient(this.#running.url, String(key), headers);
  }

  /** Connects an identity provider that exchanges its key for an access token first (RFC 6749, section 4.4). */
  async connectWithToken(name: string, headers: Record<string, string> = {}): Promise<ProvisioningClient> {
    const { id, key } = await this.#send("POST", "/api/keys", { name, scopes: provisioningScopes });
    const response = await fetch(`${this.#running.url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: String(id),
        client_secret: String(key),
      }),
    });
    const token = Value.Parse(AccessToken, await response.json());
    return new ProvisioningClient(this.#running.url, token.access_token, headers);
  }

  /** The log lines so far. */
  get log(): readonly string[] {
    return this.#running.log;
  }

  async createUser(user: object): Promise<string> {
    return String((await this.#send("POST", "/api/users", user)).id);
  }

  async changeUser(id: string, changes: object): Promise<void> {
    await this.#send("PATCH", `/api/users/${id}`, changes);
  }

  async deleteUser(id: string): Promise<void> {
    await this.#send("DELETE", `/api/users/${id}`);
  }

  /** The user without the fields that the service sets. */
  async user(id: string): Promise<JsonObject> {
    return withoutServiceFields(await this.#send("GET", `/api/users/${id}`));
  }

  /** The group without the fields that the service sets. `id` is that of the API, or that of SCIM. */
  async group(id: string): Promise<JsonObject> {
    return withoutServiceFields(await this.#send("GET", `/api/groups/${bareId(id)}`));
  }

  /** The ids of the members, as SCIM has them. */
  async members(groupId: string): Promise<string[]> {
    const members = await this.#list(`/api/groups/${bareId(groupId)}/members?limit=1000`);
    return members.map(({ id }) => String(id));
  }

  async userCount(): Promise<number> {
    return Number((await this.#call("GET", "/api/users?count=true&limit=1")).headers.get("x-total-count"));
  }

  async groupCount(): Promise<number> {
    return Number((await this.#call("GET", "/api/groups?count=true&limit=1")).headers.get("x-total-count"));
  }

  /** The status of `GET /api/users/{id}`. */
  async userStatus(id: string): Promise<number> {
    return (await this.#call("GET", `/api/users/${id}`)).status;
  }

  /** The events of a user, or of a group if the id has the form of SCIM's groups. */
  async events(id: string): Promise<Event[]> {
    const subject = id.startsWith("g") ? `group:${bareId(id)}` : `user:${id}`;
    const lines = await this.#lines(`/api/events?subject=${subject}`);
    return lines.map((line) => Value.Parse(Event, JSON.parse(line)));
  }

  /** The types of the events, without the name of the subject: `created`, `updated`, `members_changed`. */
  async history(id: string): Promise<string[]> {
    return (await this.events(id)).map(({ type }) => type.replace(/^\w+\./, ""));
  }

  /** Everything that the API shows about all users, groups and events, as text. */
  async everything(): Promise<string> {
    const paths = ["/api/users/export", "/api/groups/export", "/api/events"];
    return (await Promise.all(paths.map((path) => this.#lines(path)))).flat().join("\n");
  }

  get #running(): TestService {
    if (!this.#service) throw new Error("The service has not started.");
    return this.#service;
  }

  #call(method: string, path: string, json?: object, headers: object = {}): Promise<Response> {
    return this.#running.call(path, { method, json, headers: { ...headers, ...bearer(this.#adminKey) } });
  }

  /** The lines of a response in NDJSON. */
  async #lines(path: string): Promise<string[]> {
    const response = await this.#call("GET", path, undefined, { accept: "application/x-ndjson" });
    return (await response.text()).split("\n").filter((line) => line !== "");
  }

  async #send(method: string, path: string, json?: object): Promise<JsonObject> {
    const response = await this.#call(method, path, json);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  }

  async #list(path: string): Promise<JsonObject[]> {
    return await (await this.#call("GET", path)).json();
  }
}

function withoutServiceFields(record: JsonObject): JsonObject {
  const { id, version, createdAt, updatedAt, memberCount, ...rest } = record;
  return rest;
}

/** The id of a group in the API: SCIM puts a letter before it. */
const bareId = (id: string) => id.replace(/^g/, "");
