import type { Steps } from "../../domain/scheduling/steps.ts";
import { CompiledSchema } from "../../domain/schema/compiled-schema.ts";
import { parseStoredSchema } from "../../domain/schema/parse-schema.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";

/** What a transaction reads about the schema before its writes. */
export interface SchemaState {
  readonly version: number;
  /** The fields that are being collected, separated by commas. */
  readonly collecting: string;
}

/** Fields whose values are being collected, before they become unique. */
interface Collecting {
  readonly token: string;
  readonly fields: readonly string[];
  /** In milliseconds of the database's clock. */
  readonly until: number;
}

/** Undefined if nothing is collected at this time. */
export function parseCollecting(column: unknown, now: number): Collecting | undefined {
  if (typeof column !== "string") return undefined;
  const collecting: Collecting = JSON.parse(column);
  return collecting.until > now ? collecting : undefined;
}

/** The state of the schema, from columns that a transaction reads. */
export function toSchemaState(version: unknown, collecting: unknown, now: number): SchemaState {
  return {
    version: Number(version ?? 0),
    collecting: parseCollecting(collecting, now)?.fields.join() ?? "",
  };
}

/** The rules for records, at a state of the schema. Each version is compiled once. */
export class SchemaRules {
  readonly #limits: RecordRules;
  #schema: { readonly version: number; readonly compiled: CompiledSchema | undefined } | undefined;
  #collecting = "";
  rules: RecordRules;

  constructor(limits: RecordRules) {
    this.#limits = limits;
    this.rules = limits;
  }

  /** Whether `rules` are those of this state. */
  isAt({ version, collecting }: SchemaState): boolean {
    return this.#schema?.version === version && this.#collecting === collecting;
  }

  /** Compiles the schema now, step by step. Otherwise, each field is compiled when it is first checked. */
  *compile(): Steps<void> {
    const compiled = this.#schema?.compiled;
    if (compiled) yield* compiled.compile();
  }

  /** `json` is the schema of this version. */
  update({ version, collecting }: SchemaState, json: string): void {
    if (this.#schema?.version !== version) {
      this.#schema = {
        version,
        compiled: json === "{}" ? undefined : new CompiledSchema(parseStoredSchema(json)),
      };
    }
    this.#collecting = collecting;
    const { compiled } = this.#schema;
    const uniqueFields = [
      ...new Set([
        ...(compiled?.fields.uniqueFields ?? []),
        ...(collecting === "" ? [] : collecting.split(",")),
      ]),
    ];
    this.rules = {
      ...this.#limits,
      ...(compiled && { schema: compiled }),
      ...(uniqueFields.length > 0 && { uniqueFields }),
    };
  }
}
