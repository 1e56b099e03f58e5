/** The limits of the schema for custom fields. */
export const schemaLimits = {
  bytes: 64 * 1024,
  /** Levels of schemas in schemas. */
  levels: 16,
  /** Schemas in the schema, after `$ref` has been replaced by its target. */
  subschemas: 1000,
  uniqueFields: 8,
  patternCharacters: 512,
  /** States of the automaton that matches a pattern. */
  patternStates: 250,
  /** States of all patterns of a schema. */
  totalPatternStates: 10_000,
  /** Characters of a text with a pattern. */
  patternText: 16 * 1024,
  /** Steps that a pattern takes for the longest text that it can meet: 64 for each character of a text without a maxLength. */
  patternWork: 1_050_000,
  /** Users with errors that a dry run lists. */
  violations: 100,
  /** Errors listed for one user. */
  errorsPerUser: 20,
  /** Examples of values that are not unique. */
  duplicates: 10,
} as const;

/** The formats that a schema can require of a text. */
export const schemaFormats = [
  "date",
  "date-time",
  "time",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uuid",
] as const;

export const SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";
