import { type ItemPage, Resource, unexpectedBody } from "./resource.ts";
import type { CheckSchemaOptions, CurrentSchema } from "./schema-types.ts";
import type { JsonSchema, SchemaCheck, SchemaVersion, SchemaViolation } from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type { ApiResponse } from "./transport/transport.ts";
import type { CallOptions, ChangeOptions } from "./types.ts";

/** The operations on the schema for custom fields. */
export class Schema {
  readonly #transport: ServiceTransport;
  readonly #versions: Resource<SchemaVersion>;
  readonly #violations: Resource<SchemaViolation>;

  constructor(transport: ServiceTransport) {
    this.#transport = transport;
    this.#versions = new Resource(transport, "schema", { version: "number" });
    this.#violations = new Resource(transport, "schema", { id: "number" });
  }

  /** The current schema. Version 0 and `{}` if there is none. */
  get(options?: CallOptions): Promise<CurrentSchema> {
    return this.#call("GET", options);
  }

  /** Replaces the schema. `ifMatch` is the version that you have read. */
  set(schema: JsonSchema, options?: Pick<ChangeOptions, "ifMatch"> & CallOptions): Promise<CurrentSchema> {
    return this.#call("PUT", options, schema);
  }

  /** Removes the schema. */
  remove(options?: Pick<ChangeOptions, "ifMatch"> & CallOptions): Promise<void> {
    return this.#transport.reportErrors(async () => {
      await this.#transport.call("DELETE", ["schema"], options);
    });
  }

  /** Finds out what a schema would mean for the users that exist. Stores nothing. */
  async check(schema: JsonSchema, options: CheckSchemaOptions = {}): Promise<SchemaCheck> {
    return (await import("./bulk.ts")).checkSchema(this.#transport, schema, options);
  }

  /** Every version of the schema, newest first. */
  versions(options?: CallOptions): AsyncGenerator<SchemaVersion, void> {
    return readPages((query) => this.#versions.requestPage(query, options, ["versions"]), this.#transport);
  }

  /** The users that the schema does not allow, by id. */
  violations(options?: CallOptions): AsyncGenerator<SchemaViolation, void> {
    return readPages(
      (query) => this.#violations.requestPage(query, options, ["violations"]),
      this.#transport,
    );
  }

  #call(method: string, options?: ChangeOptions, body?: JsonSchema): Promise<CurrentSchema> {
    return this.#transport.reportErrors(async () =>
      toCurrent(await this.#transport.call(method, ["schema"], options, body)),
    );
  }
}

async function* readPages<Item>(
  fetchPage: (query: URLSearchParams) => Promise<ItemPage<Item>>,
  transport: ServiceTransport,
): AsyncGenerator<Item, void> {
  let after: string | undefined;
  do {
    const query = new URLSearchParams(after === undefined ? {} : { after });
    const { items, next } = await transport.reportErrors(() => fetchPage(query));
    yield* items;
    after = next;
  } while (after !== undefined);
}

function toCurrent(response: ApiResponse): CurrentSchema {
  const { body, headers } = response;
  const version = /^(?:W\/)?"(\d+)"$/.exec(headers.get("etag") ?? "")?.[1];
  if (version === undefined || !isSchema(body)) throw unexpectedBody(response, "a schema");
  return { version: Number(version), schema: body };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
