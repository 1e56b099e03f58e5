import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { collectionPath, collectionText, postmanCollection } from "../../scripts/postman-collection.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe("the Postman collection", () => {
  test("is up to date (npm run docs)", () => {
    expect(readFileSync(collectionPath, "utf8")).toBe(collectionText());
  });

  const requests = postmanCollection().item.flatMap(({ item }) => item);
  // Deletes come last: other requests need the users and keys.
  const ordered = requests.toSorted(
    (a, b) => Number(a.request.method === "DELETE") - Number(b.request.method === "DELETE"),
  );
  test.each(ordered)("has a request that the service understands: $name", async ({ request }) => {
    const { method, header, url, body } = request;
    const path = url.variable.reduce((raw, { key, value }) => raw.replace(`:${key}`, value), url.raw);
    const response = await fetch(path.replace("{{baseUrl}}", service.url), {
      method,
      headers: Object.fromEntries(
        header.filter((each) => !("disabled" in each)).map(({ key, value }) => [key, value]),
      ),
      body: body?.raw ?? null,
      redirect: "manual",
    });
    if (response.ok) return;
    // The examples have a key, and ids of other resources, that this service does not have.
    expect((await response.json()).type).toMatch(
      /^\/problems\/(unauthenticated|(user|key|webhook|field)-not-found)$/,
    );
  });
});
