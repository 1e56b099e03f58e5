import { afterAll, beforeAll } from "bun:test";
import type { CreatedKey, Key } from "../../../../src/contract/keys/key-schemas.ts";
import { createSecret } from "../../../../src/contract/keys/key-secret.ts";
import type { Call, Callable } from "../../../support/call.ts";
import { bearer } from "../../../support/credentials.ts";
import { databaseOn, type Engine } from "../../../support/engines.ts";
import type { FreshDatabase } from "../../../support/postgres/fresh-database.ts";
import { readResponse } from "../../../support/responses.ts";
import type { TestService } from "../../../support/service.ts";
import type { TestClock } from "../../../support/test-clock.ts";
import { startNode } from "./test-node.ts";

/** A node that requires a key, and an administrator with every scope. */
export class KeyAdmin implements Callable {
  readonly #environmentKey = createSecret();
  #database: FreshDatabase | undefined;
  #node: TestService | undefined;
  #requests = 0;

  /** Starts and stops the node around the tests of the current `describe`. */
  constructor(engine: Engine) {
    beforeAll(async () => {
      this.#database = await databaseOn(engine);
      this.#node = await startNode(this.#database.url, {
        auth: "required",
        apiKey: this.#environmentKey,
        trustedProxies: "127.0.0.1",
      });
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
  readonly call: Call = (path, { headers = bearer(this.#environmentKey), ...request } = {}) =>
    this.#startedNode.call(path, {
      ...request,
      headers: { "x-forwarded-for": this.#newAddress(), ...headers },
    });

  /** Creates a key, by default with every scope. */
  async createKey(body: object, secret = this.#environmentKey): Promise<CreatedKey> {
    const { status, text } = await readResponse(
      this.call("/api/keys", { method: "POST", json: body, headers: bearer(secret) }),
    );
    if (status !== 201) throw new Error(`The key was not created: ${text}`);
    return JSON.parse(text);
  }

  async readKey({ id }: Pick<Key, "id">): Promise<Key> {
    return await (await this.call(`/api/keys/${id}`)).json();
  }

  async listKeys(): Promise<Key[]> {
    return await (await this.call("/api/keys?limit=1000")).json();
  }

  async revokeKey({ id }: Pick<Key, "id">): Promise<number> {
    return (await this.call(`/api/keys/${id}`, { method: "DELETE" })).status;
  }

  /** "good", or the problem type of the response. */
  async authenticate(headers: Readonly<Record<string, string>>): Promise<string> {
    const { status, problem } = await readResponse(this.call("/api/session", { headers }));
    return status === 200 ? "good" : (problem?.type.replace("/problems/", "") ?? String(status));
  }

  get #startedNode(): TestService {
    if (!this.#node) throw new Error("The node has not started.");
    return this.#node;
  }

  /** Another address for each request: many wrong keys from one address are rate limited. */
  #newAddress(): string {
    const n = ++this.#requests;
    return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  }
}
