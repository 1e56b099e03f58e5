import { Resource } from "./resource.ts";
import type { CustomField } from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type { CallOptions, FieldValue } from "./types.ts";

/** The operations on custom fields. */
export class Fields {
  readonly #fields: Resource<CustomField>;
  readonly #values: Resource<FieldValue>;

  constructor(transport: ServiceTransport) {
    this.#fields = new Resource(transport, "fields", { name: "string" });
    this.#values = new Resource(transport, "fields", {});
  }

  /** The custom fields that users have, in the order of their names: at most 1,000. */
  list(options?: CallOptions): Promise<CustomField[]> {
    return this.#fields.list([], options);
  }

  /** Up to 100 values of a custom field, in order; with a prefix, only texts that start with it. */
  values(
    name: string,
    { prefix = "", ...options }: CallOptions & { readonly prefix?: string } = {},
  ): Promise<FieldValue[]> {
    return this.#values.list([name, "values"], options, { prefix });
  }
}
