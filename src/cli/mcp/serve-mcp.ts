import { once } from "node:events";
import { Writable } from "node:stream";
import type { Client } from "../../client/index.ts";
import { version } from "../../config/version.ts";
import type { CommandContext, Screen } from "../command.ts";
import { renameArguments } from "./argument-names.ts";
import type { ToolArguments } from "./arguments.ts";
import { MAX_ANSWER_CHARACTERS } from "./bounded-page.ts";
import { describeToolError } from "./describe-tool-error.ts";
import type { OfferedTools } from "./offered-tools.ts";
import type { Sdk } from "./sdk.ts";

/** Answers the requests of an MCP client on stdin and stdout until stdin ends. */
export async function serveMcp(
  { stdin, stdout }: Pick<CommandContext, "stdin" | "stdout">,
  { Server, StdioServerTransport, ListToolsRequestSchema, CallToolRequestSchema }: Sdk,
  client: Client,
  offered: OfferedTools,
): Promise<void> {
  const server = new Server(
    { name: "roster", title: "Roster", version },
    { capabilities: { tools: {} }, instructions: offered.instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: offered.tools.map(({ name, title, description, inputSchema, annotations }) => ({
      name,
      title,
      description,
      inputSchema: { ...inputSchema },
      annotations: { title, ...annotations },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(client, offered, params.name, params.arguments ?? {}),
  );
  const ended = once(stdin, "end");
  await server.connect(new StdioServerTransport(stdin, toWritable(stdout)));
  await ended;
  await server.close();
}

/** Notes of the server follow the answer as texts of their own: data of users cannot look like one. */
async function callTool(client: Client, offered: OfferedTools, name: string, args: ToolArguments) {
  const texts = (isError: boolean, ...messages: readonly string[]) => ({
    content: messages.map((text) => ({ type: "text" as const, text })),
    isError,
  });
  const tool = offered.find(name);
  if (typeof tool === "string") return texts(true, tool);
  const notes: string[] = [];
  try {
    const renamed = renameArguments(tool, args);
    const answer = JSON.stringify(await tool.run(client, renamed, (note) => notes.push(`Note: ${note}`)));
    if (answer.length > 2 * MAX_ANSWER_CHARACTERS) {
      return texts(true, "The answer is too long. Choose fewer fields.");
    }
    return texts(false, answer, ...notes);
  } catch (error) {
    return texts(true, describeToolError(error, tool));
  }
}

/** stdout as a stream. Nothing else may write to it: the client reads only messages. */
function toWritable(screen: Screen): Writable {
  return new Writable({
    write(chunk: string | Uint8Array, _encoding, done) {
      if (screen.write(chunk)) done();
      else void screen.drained().then(() => done());
    },
  });
}
