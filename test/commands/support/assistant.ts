import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { rosterCommand } from "../../support/process/roster-command.ts";

const clients: Client[] = [];

/** Starts `roster mcp` with a key, as an assistant does. `closeAssistants` ends it. */
export async function startAssistant(url: string, key: string, ...args: string[]): Promise<Client> {
  const [command = "", ...before] = rosterCommand;
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...before, "mcp", ...args],
      env: { PATH: String(Bun.env.PATH), ROSTER_URL: url, ROSTER_API_KEY: key },
      stderr: "ignore",
    }),
  );
  clients.push(client);
  return client;
}

export async function closeAssistants(): Promise<void> {
  for (const client of clients.splice(0)) await client.close();
}

/** The answer as JSON, or the text of an error. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { texts, isError } = await readTexts(client, name, args);
  return isError ? texts.join("\n") : JSON.parse(String(texts[0]));
}

/** The notes of the server about an answer. */
export async function readNotes(client: Client, name: string, args: Record<string, unknown>) {
  const { texts, isError } = await readTexts(client, name, args);
  if (isError) throw new Error(texts.join("\n"));
  return texts.slice(1);
}

async function readTexts(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return { texts: content.map(({ text }) => String(text)), isError };
}
