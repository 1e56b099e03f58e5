import { Resource } from "./resource.ts";
import type { CustomField } from "./service-types.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import type { CallOptions, CountedFieldValue, FieldValue } from "./types.ts";

interface ValueOptions extends CallOptions {
  /** Lists only texts that start with this text. */
  readonly prefix?: string;
}

/** The operations on custom fields. */
export class Fields {
  readonly #fields: Resource<CustomField>;
  readonly #values: Resource<FieldValue>;
  readonly #counts: Resource<CountedFieldValue>;

  constructor(transport: ServiceTransport) {
    this.#fields = new Resource(transport, "fields", { name: "string" });
    this.#values = new Resource(transport, "fields", {});
    this.#counts = new Resource(transport, "fields", { count: "number", capped: "boolean" });
  }

  /** The custom fields that users have, in the order of their names: at most 1,000. */
  list(options?: CallOptions): Promise<CustomField[]> {
    return this.#fields.list([], options);
  }

  /** Up to 100 values of a custom field, in order; with a prefix, only texts that start with it. */
  values(name: string, { prefix = "", ...options }: ValueOptions = {}): Promise<FieldValue[]> {
    return this.#values.list([name, "values"], options, { prefix });
  }

  /** The same values, each with the number of users who have it. Counts stop at 10,000, or earlier for many values. */
  countValues(name: string, { prefix = "", ...options }: ValueOptions = {}): Promise<CountedFieldValue[]> {
    return this.#counts.list([name, "values"], options, { prefix, counts: "true" });
  }
}
