import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onEachEngine } from "../../support/engines.ts";
import { type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(120_000);

type BadQuery = readonly [query: string, scimType: string, detail: string];

const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join();

/** What a caller cannot ask of any list, and what the error says. */
const badQueries: readonly BadQuery[] = [
  ["count=abc", "invalidValue", "count: Enter an integer."],
  ["count=", "invalidValue", "count: Enter an integer."],
  ["count", "invalidValue", "count: Enter an integer."],
  ["count=1.5", "invalidValue", "count: Enter an integer."],
  ["count=1e3", "invalidValue", "count: Enter an integer."],
  ["count=0x10", "invalidValue", "count: Enter an integer."],
  ["count=--1", "invalidValue", "count: Enter an integer."],
  ["count=1%202", "invalidValue", "count: Enter an integer."],
  ["count=NaN", "invalidValue", "count: Enter an integer."],
  ["count=Infinity", "invalidValue", "count: Enter an integer."],
  ["count=null", "invalidValue", "count: Enter an integer."],
  ["count=%D9%A1", "invalidValue", "count: Enter an integer."],
  ["count=9007199254740992", "invalidValue", "count: Enter an integer."],
  ["count=-9007199254740992", "invalidValue", "count: Enter an integer."],
  [`count=${"9".repeat(300)}`, "invalidValue", "count: Enter an integer."],
  ["startIndex=first", "invalidValue", "startIndex: Enter an integer."],
  ["startIndex=", "invalidValue", "startIndex: Enter an integer."],
  ["startIndex=1.0", "invalidValue", "startIndex: Enter an integer."],
  ["startIndex=9007199254740993", "invalidValue", "startIndex: Enter an integer."],
  ["startIndex=true", "invalidValue", "startIndex: Enter an integer."],
  ["startIndex=%00", "invalidValue", "startIndex: U+0000 is not allowed."],
  ["sortOrder=", "invalidValue", "sortOrder: Enter ascending or descending."],
  ["sortOrder=asc", "invalidValue", "sortOrder: Enter ascending or descending."],
  ["sortBy=id&sortOrder=up", "invalidValue", "sortOrder: Enter ascending or descending."],
  ["sortBy=", "invalidValue", "sortBy: "],
  ["sortBy=a%20b", "invalidValue", "sortBy: "],
  ["sortBy=meta", "invalidValue", "sortBy: "],
  ["sortBy=displayName,id", "invalidValue", "sortBy: "],
  [`sortBy=${"x".repeat(3000)}`, "invalidValue", "sortBy: "],
  ["cursor=x", "invalidCursor", "cursor: "],
  ["cursor=0", "invalidCursor", "cursor: "],
  ["cursor=1.0.name", "invalidCursor", "cursor: "],
  ["cursor=1.0.-id", "invalidCursor", "cursor: "],
  ["cursor=-1.0.id", "invalidCursor", "cursor: "],
  ["cursor=1.0.id.", "invalidCursor", "cursor: "],
  ["cursor=1.0", "invalidCursor", "cursor: "],
  ["cursor=%F0%9F%98%80", "invalidCursor", "cursor: "],
  ["cursor=1.0.id&sortBy=displayName", "invalidCursor", "cursor: "],
  [`cursor=${"1.0.".repeat(2500)}`, "invalidCursor", "cursor: "],
  ["filter=", "invalidFilter", "filter: "],
  ["filter=(", "invalidFilter", "filter: "],
  ["filter=displayName%20eq", "invalidFilter", "filter: "],
  ["filter=displayName%20zz%20%22a%22", "invalidFilter", "filter: "],
  ["filter=%22a%22%20eq%20displayName%20and", "invalidFilter", "filter: "],
  ["filter=displayName%20eq%20%22%ff%22", "invalidValue", "filter: Send valid percent-encoded UTF-8."],
  ["filter=displayName%20pr%00", "invalidValue", "filter: U+0000 is not allowed."],
  [`attributes=${many(501)}`, "invalidValue", "attributes: Enter at most 500 names."],
  [`excludedAttributes=${many(501)}`, "invalidValue", "excludedAttributes: Enter at most 500 names."],
  ["attributes=%c3%28", "invalidValue", "attributes: Send valid percent-encoded UTF-8."],
  ["count=1&count=1", "invalidValue", "count: Send this parameter once."],
  ["cursor&cursor=", "invalidValue", "cursor: Send this parameter once."],
];

/** Bodies of searches. */
const badBodies: readonly (readonly [body: unknown, scimType: string, detail: string])[] = [
  [[], "invalidSyntax", "Send a JSON object."],
  [null, "invalidSyntax", "Send a JSON object."],
  [7, "invalidSyntax", "Send a JSON object."],
  ["count", "invalidSyntax", "Send a JSON object."],
  [{ count: "many" }, "invalidValue", "count: Enter an integer."],
  [{ count: 1.5 }, "invalidValue", "count: Enter an integer."],
  [{ count: 1e300 }, "invalidValue", "count: Enter an integer."],
  [{ count: true }, "invalidValue", "count: Send an integer."],
  [{ count: [1] }, "invalidValue", "count: Send an integer."],
  [{ startIndex: {} }, "invalidValue", "startIndex: Send an integer."],
  [{ startIndex: "" }, "invalidValue", "startIndex: Enter an integer."],
  [{ filter: 7 }, "invalidValue", "filter: Send a text."],
  [{ filter: ["id pr"] }, "invalidValue", "filter: Send a text."],
  [{ filter: "" }, "invalidFilter", "filter: "],
  [{ filter: "id pr and" }, "invalidFilter", "filter: "],
  [{ filter: `id eq "${"x".repeat(50_000)}"` }, "invalidFilter", "filter: "],
  [{ sortBy: false }, "invalidValue", "sortBy: Send a text."],
  [{ sortOrder: 1 }, "invalidValue", "sortOrder: Send a text."],
  [{ cursor: 5 }, "invalidValue", "cursor: Send a text."],
  [{ cursor: "?" }, "invalidCursor", "cursor: "],
  [{ cursor: "2." }, "invalidCursor", "cursor: "],
  [{ attributes: 7 }, "invalidValue", "attributes: Send an array of texts."],
  [{ attributes: ["id", 7] }, "invalidValue", "attributes: Send an array of texts."],
  [{ attributes: { id: true } }, "invalidValue", "attributes: Send an array of texts."],
  [{ attributes: "a,".repeat(10_000) }, "invalidValue", "attributes: Enter at most 16384 characters."],
  [{ excludedAttributes: [[]] }, "invalidValue", "excludedAttributes: Send an array of texts."],
  [{ COUNT: "x" }, "invalidValue", "count: Enter an integer."],
];

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
    await scim.create("/Users", { userName: "ada" });
    await scim.create("/Groups", { displayName: "Sales" });
  });
  afterAll(() => service.stop());

  const expectRefused = async (
    request: string,
    body: object | string | undefined,
    [scimType, detail]: readonly [string, string],
  ) => {
    const answer = await scim.send(request, body);
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType]);
    expect(answer.body.detail).toStartWith(detail);
  };

  describe("A list is refused", () => {
    for (const [query, scimType, detail] of badQueries)
      test(`with ${query.slice(0, 60)}`, async () => {
        for (const path of ["/Users", "/Groups"])
          await expectRefused(`GET ${path}?${query}`, undefined, [scimType, detail]);
      });
  });

  describe("A search is refused", () => {
    for (const [body, scimType, detail] of badBodies) {
      const json = JSON.stringify(body);
      test(`with ${json.slice(0, 60)}`, async () => {
        for (const path of ["/Users/.search", "/Groups/.search", "/.search"])
          await expectRefused(`POST ${path}`, json, [scimType, detail]);
      });
    }

    test("with a body that is no JSON, too large or of another type", async () => {
      expect(await scim.outcome("POST /Users/.search", "{")).toBe("400 invalidSyntax");
      expect(await scim.outcome("POST /Users/.search", "")).toBe("400 invalidSyntax");
      expect(await scim.outcome("POST /.search", `{"filter":"${"x".repeat(2_000_000)}"}`)).toBe("413");
      expect(await scim.outcome("POST /.search", "{}", { "content-type": "text/plain" })).toBe("415");
    });
  });
});
