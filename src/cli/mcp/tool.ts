import type { Client } from "../../client/index.ts";
import type { Scope } from "../../contract/keys/key.ts";
import type { AddNote, ToolArguments } from "./arguments.ts";

/** A tool of the MCP server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scopes that the tool needs. */
  readonly scopes: readonly Scope[];
  readonly inputSchema: {
    readonly type: "object";
    readonly properties: Record<string, object>;
    readonly required?: string[];
    readonly additionalProperties: false;
  };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** The result as JSON. Throws an error of the client, or a `ConfigError` for an invalid argument. */
  run(client: Client, args: ToolArguments, addNote: AddNote): Promise<unknown>;
}
