import { ConfigError } from "../../config/config.ts";

const SDK = "@modelcontextprotocol/sdk";

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** The package is optional: only `roster mcp` needs it. Throws a `ConfigError` if it is not installed. */
export async function loadSdk() {
  try {
    const [{ Server }, { StdioServerTransport }, { ListToolsRequestSchema, CallToolRequestSchema }] =
      await Promise.all([
        import("@modelcontextprotocol/sdk/server/index.js"),
        import("@modelcontextprotocol/sdk/server/stdio.js"),
        import("@modelcontextprotocol/sdk/types.js"),
      ]);
    return { Server, StdioServerTransport, ListToolsRequestSchema, CallToolRequestSchema };
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    if (!message.includes(SDK)) throw error;
    throw new ConfigError(
      `roster mcp needs the package ${SDK}. Install it beside Roster: npm\u00a0install\u00a0--global\u00a0${SDK}`,
    );
  }
}
