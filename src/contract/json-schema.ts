/** The keywords of JSON Schema that the contract uses. Every TypeBox schema is assignable to this type. */
export interface JsonSchema {
  /** TypeBox adds this to its schemas. Without it, TypeScript rejects a schema with no keyword at all. */
  readonly "~kind"?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly else?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[] | undefined;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
}

export type JsonObject = Record<string, unknown>;
