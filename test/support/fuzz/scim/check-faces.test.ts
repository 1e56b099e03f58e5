import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Call } from "../../call.ts";
import { startService, type TestService } from "../../service.ts";
import { checkFaces } from "./check-faces.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
  const post = async (path: string, json: object) => {
    expect((await service.call(path, { method: "POST", json })).status).toBe(201);
  };
  await post("/api/users", { name: "Ada", email: "ada@example.com", title: 5, level: 3 });
  await post("/scim/v2/Users", { userName: "grace", name: { givenName: "Grace" }, "urn:x": { a: 1 } });
  await post("/scim/v2/Groups", { displayName: "Sales", members: [{ value: "1" }, { value: "2" }] });
});
afterAll(() => service.stop());

test("both faces of a service show the same users and groups", async () => {
  expect([...(await checkFaces(service, {})).keys()]).toEqual(["user:1", "user:2", "group:1"]);
});

/** The service with another text in the responses whose paths match. */
function falsified(
  paths: RegExp,
  text: string,
  other: string,
): { readonly url: string; readonly call: Call } {
  return {
    url: service.url,
    call: async (path, request) => {
      const response = await service.call(path, request);
      const body = await response.text();
      return new Response(paths.test(path) ? body.replaceAll(text, other) : body, response);
    },
  };
}

test.each([
  ["a user with another attribute", /^.scim.v2.Users/, '"givenName":"Grace"', '"givenName":"Eve"'],
  [
    "a user with another attribute in lists",
    /^.scim.v2.Users[?]/,
    '"givenName":"Grace"',
    '"givenName":"Eve"',
  ],
  ["a user with another attribute alone", /^.scim.v2.Users.2/, '"givenName":"Grace"', '"givenName":"Eve"'],
  ["a user with another version", /^.api.users/, '"version":1', '"version":2'],
  ["a user that SCIM does not show", /^.scim.v2.Users/, '"id":"2"', '"id":"3"'],
  ["a user that the API does not show", /^.api.users[?]/, '"id":2', '"id":1'],
  ["a group with another name", /^.scim.v2.Groups/, '"displayName":"Sales"', '"displayName":"Sale"'],
  ["a group with another member", /^.scim.v2.Groups/, '"value":"2"', '"value":"3"'],
  ["a group that lacks a member", /^.api.groups.1.members/, '"id":2', '"id":1'],
])("the check finds %s", async (_, paths, text, other) => {
  await expect(checkFaces(falsified(paths, text, other), {})).rejects.toThrow("the API and SCIM differ");
});
