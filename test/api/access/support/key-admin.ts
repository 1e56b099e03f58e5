import { afterAll, beforeAll } from "bun:test";
import type { CreatedKey, Key } from "../../../../src/contract/keys/key-schemas.ts";
import { createSecret } from "../../../../src/contract/keys/key-secret.ts";
import { bearer } from "../../../support/credentials.ts";
import { databaseOn, type Engine } from "../../../support/engines.ts";
import type { FreshDatabase } from "../../../support/postgres/fresh-database.ts";
import type { TestClock } from "../../../support/test-clock.ts";
import { startNode, type TestNode, type TestResponse } from "./test-node.ts";

/** A node that requires a key, and an administrator with every scope. */
export class KeyAdmin {
  readonly #environmentKey = createSecret();
  #database: FreshDatabase | undefined;
  #node: TestNode | undefined;
  #requests = 0;

  /** Starts and stops the node around the tests of the current `describe`. */
  constructor(engine: Engine) {
    beforeAll(async () => {
      this.#database = await databaseOn(engine);
      const env = {
        ROSTER_AUTH: "required",
        ROSTER_API_KEY: this.#environmentKey,
        ROSTER_TRUSTED_PROXIES: "127.0.0.1",
      };
      this.#node = await startNode(this.#database.url, env);
    });
    afterAll(async () => {
      await this.#node?.stop();
      await this.#database?.drop();
    });
  }

  /** The clock of the node. */
  get clock(): TestClock {
    return this.#startedNode.clock;
  }

  /** Sends a request with these headers, by default with every scope. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = bearer(this.#environmentKey),
  ): Promise<TestResponse> {
    return this.#startedNode.request({
      method,
      path,
      headers: { "x-forwarded-for": this.#newAddress(), ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Sends a request without a key. Returns the unread response. */
  send(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.#startedNode.send(method, path, body, { "x-forwarded-for": this.#newAddress(), ...headers });
  }

  /** Creates a key, by default with every scope. */
  async createKey(body: object, secret = this.#environmentKey): Promise<CreatedKey> {
    const { status, text } = await this.request("POST", "/api/keys", body, bearer(secret));
    if (status !== 201) throw new Error(`The key was not created: ${text}`);
    return JSON.parse(text);
  }

  async readKey({ id }: Pick<Key, "id">): Promise<Key> {
    return JSON.parse((await this.request("GET", `/api/keys/${id}`)).text);
  }

  async listKeys(): Promise<Key[]> {
    return JSON.parse((await this.request("GET", "/api/keys?limit=1000")).text);
  }

  async revokeKey({ id }: Pick<Key, "id">): Promise<number> {
    return (await this.request("DELETE", `/api/keys/${id}`)).status;
  }

  /** "good", or the problem type of the response. */
  async authenticate(headers: Readonly<Record<string, string>>): Promise<string> {
    const { status, problem } = await this.request("GET", "/api/session", undefined, headers);
    return status === 200 ? "good" : (problem?.type.replace("/problems/", "") ?? String(status));
  }

  get #startedNode(): TestNode {
    if (!this.#node) throw new Error("The node has not started.");
    return this.#node;
  }

  /** Another address for each request: many wrong keys from one address are rate limited. */
  #newAddress(): string {
    const n = ++this.#requests;
    return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  }
}
