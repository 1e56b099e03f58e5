import { describe, expect, test } from "bun:test";
import { tools } from "../../src/cli/mcp/tools.ts";
import { createClient } from "../../src/client/index.ts";

/** Calls search_users of a service that returns these pages, each with fewer users than asked for. */
async function search(limit: number, pages: readonly (readonly number[])[]) {
  const asked: string[] = [];
  const client = createClient({
    baseUrl: "http://roster.test",
    apiKey: "",
    fetch: async ({ url }) => {
      const { searchParams } = new URL(url);
      asked.push(`${searchParams.get("after")} ${searchParams.get("limit")}`);
      const users = (pages[asked.length - 1] ?? []).map((id) => ({ id, name: `User ${id}`, version: 1 }));
      const link = `<http://roster.test/api/users?after=${asked.length}>; rel="next"`;
      const headers = { "content-type": "application/json", ...(asked.length < pages.length && { link }) };
      return new Response(JSON.stringify(users), { headers });
    },
  });
  const notes: string[] = [];
  const tool = tools.find(({ name }) => name === "search_users");
  const answer = await tool?.run(client, { limit }, (note) => notes.push(note));
  return { answer, asked, notes };
}

const users = (...ids: number[]) => ids.map((id) => ({ id, name: `User ${id}`, version: 1 }));

describe("an answer with users", () => {
  test("is full, also if the service returns pages that are not", async () => {
    expect(await search(3, [[], [1], [2, 3], [4]])).toEqual({
      answer: { users: users(1, 2, 3), next: "3" },
      asked: ["null 3", "1 3", "2 2"],
      notes: [],
    });
    expect((await search(3, [[1], [2]])).answer).toEqual({ users: users(1, 2), next: undefined });
  });

  test("says that the search is not finished, after a number of pages without a match", async () => {
    const { answer, asked, notes } = await search(
      3,
      Array.from({ length: 20 }, () => []),
    );
    expect(asked).toHaveLength(8);
    expect(answer).toEqual({ users: [], next: "8" });
    expect(notes).toEqual(["The search is not finished. Continue with next."]);
  });
});
