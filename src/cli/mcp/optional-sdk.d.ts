// The parts of @modelcontextprotocol/sdk that Roster uses. The package is optional: the types must be there without it.

declare module "@modelcontextprotocol/sdk/server/index.js" {
  interface ToolRequest {
    readonly params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> };
  }
  export class Server {
    constructor(info: { name: string; title: string; version: string }, options: object);
    setRequestHandler(schema: unknown, answer: (request: ToolRequest) => object | Promise<object>): void;
    connect(transport: object): Promise<void>;
    close(): Promise<void>;
  }
}

declare module "@modelcontextprotocol/sdk/server/stdio.js" {
  export class StdioServerTransport {
    constructor(stdin: NodeJS.ReadableStream, stdout: NodeJS.WritableStream);
  }
}

declare module "@modelcontextprotocol/sdk/types.js" {
  export const ListToolsRequestSchema: unknown;
  export const CallToolRequestSchema: unknown;
}

declare module "@modelcontextprotocol/sdk/client/index.js" {
  interface ListedTool {
    readonly name: string;
    readonly inputSchema: { readonly properties?: Readonly<Record<string, object>> };
    readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  }
  export class Client {
    constructor(info: { name: string; version: string });
    connect(transport: object): Promise<void>;
    close(): Promise<void>;
    listTools(): Promise<{ readonly tools: readonly ListedTool[] }>;
    callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<{
      readonly content: readonly { readonly text?: string }[];
      readonly isError?: boolean;
    }>;
    getInstructions(): string | undefined;
  }
}

declare module "@modelcontextprotocol/sdk/client/stdio.js" {
  export class StdioClientTransport {
    constructor(options: { command: string; args: string[]; env: Record<string, string>; stderr: "ignore" });
  }
}
