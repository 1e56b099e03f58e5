import { describe, expect, test } from "bun:test";
import { describeToolError } from "../../src/cli/mcp/describe-tool-error.ts";
import { tools } from "../../src/cli/mcp/tools.ts";
import { createClient } from "../../src/client/index.ts";
import { type ProblemType, problemExample } from "../../src/contract/problems.ts";

/** What an assistant reads if the service responds like this to a tool. */
async function describeResponse(response: Response, toolName = "get_user"): Promise<string> {
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) throw new Error(`There is no ${toolName}.`);
  const client = createClient({
    baseUrl: "http://roster.test",
    apiKey: "",
    retries: 0,
    onError: () => undefined,
    fetch: async () => response,
  });
  const args = { id: 1, changes: {} };
  const error = await tool.run(client, args, () => undefined).catch((reason: unknown) => reason);
  return describeToolError(error, tool);
}

function respond(type: ProblemType, headers: Record<string, string> = {}): Response {
  const problem = problemExample(type);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

describe("an assistant learns", () => {
  test("when to try again if the service is unavailable", async () => {
    expect(await describeResponse(respond("unavailable", { "retry-after": "7" }))).toEndWith(
      "Try again in 7 seconds.",
    );
    expect(await describeResponse(respond("unavailable"))).toEndWith("Try again later.");
  });

  test("what to tell the operator if the service fails", async () => {
    expect(await describeResponse(respond("internal"))).toContain("give the operator the request id k3v9-1f");
  });

  test("that another program responds", async () => {
    const page = new Response("<h1>Not found</h1>", { status: 404 });
    expect(await describeResponse(page)).toBe(
      "http://roster.test is not a Roster service, or is not available. Tell the operator of roster mcp.",
    );
  });

  test("that a scope was taken from the key", async () => {
    expect(await describeResponse(respond("insufficient-scope"), "update_user")).toEndWith(
      "The operator can give roster mcp a key with this scope.",
    );
  });
});
