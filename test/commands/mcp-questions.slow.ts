import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createClient } from "../../src/client/index.ts";
import { listLimits } from "../../src/contract/listing.ts";
import { startService, type TestService } from "../support/service.ts";
import { callTool, closeAssistants, readNotes, startAssistant } from "./support/assistant.ts";
import { testQuestions } from "./support/assistant-questions.ts";

setDefaultTimeout(300_000);

testQuestions(20_000);

describe("an assistant with more users than are counted", () => {
  const size = listLimits.count + 1;
  let service: TestService;
  let assistant: Awaited<ReturnType<typeof startAssistant>>;
  beforeAll(async () => {
    service = await startService();
    const { key } = await service.roster.keys.create({
      name: "assistant",
      scopes: ["users:read", "users:write"],
      rateLimit: { requests: 1_000_000, seconds: 60 },
    });
    const { users } = createClient({ baseUrl: service.url, apiKey: key, timeout: 250_000 });
    const people = Array.from({ length: size }, (_, index) => ({
      name: `User ${index}`,
      email: `user.${index}@example.com`,
      team: index % 2 === 0 ? "even" : "odd",
    }));
    await users.import(people).summary();
    assistant = await startAssistant(service.url, key);
  });
  afterAll(async () => {
    await closeAssistants();
    await service.stop();
  });

  test("gets all users counted, and a lower bound for a filter", async () => {
    expect(await callTool(assistant, "count_users")).toEqual({ count: size });
    expect(await callTool(assistant, "count_users", { filter: "team pr" })).toEqual({
      atLeast: listLimits.count,
    });
  });

  test("learns that values have only the first users", async () => {
    const half = listLimits.count / 2;
    expect(await callTool(assistant, "count_users", { by: "team" })).toEqual({
      by: "team",
      users: listLimits.count,
      values: [
        { value: "even", users: half },
        { value: "odd", users: half },
      ],
      withoutValue: 0,
    });
    const [note] = await readNotes(assistant, "count_users", { by: "team" });
    expect(note).toContain(`Only the first ${listLimits.count} were counted`);
  });

  test("learns that a field has too many values to group by", async () => {
    expect(await callTool(assistant, "count_users", { by: "email" })).toContain("different values");
  });
});
