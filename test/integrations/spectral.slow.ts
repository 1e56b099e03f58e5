import { expect, test } from "bun:test";
import { Document, Ruleset, Spectral } from "@stoplight/spectral-core";
import owasp from "@stoplight/spectral-owasp-ruleset";
import { Json } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import { api } from "../support/description.ts";

/** OWASP rules that are off, and why. */
const rulesOff = {
  "owasp:api1:2023-no-numeric-ids":
    "Ids are part of the API, and ascend for paging. Access depends on the key's scopes, not on secret ids.",
  "owasp:api4:2023-string-limit":
    "Request bodies and headers have a limit in bytes. A limit on each text of a response helps nobody.",
  "owasp:api4:2023-string-restricted": "Names, titles and explanations are free text.",
  "owasp:api4:2023-array-limit":
    "Arrays in requests have limits. `limit` and the size of the request limit the arrays in responses.",
  "owasp:api8:2023-define-cors-origin":
    "The service has no CORS by default: the operator allows origins, and only their responses have the header.",
  "owasp:api9:2023-inventory-access": "Each operator decides who can reach the service.",
  "owasp:api9:2023-inventory-environment": "The same description serves every environment.",
};
/** OWASP rules that do not apply to the operations without a key: sign-in, sign-out, health checks and documentation. */
const rulesForKeys = {
  "owasp:api2:2023-write-restricted":
    "Sign-in has the key in its body. Sign-out must work without a valid session.",
  "owasp:api2:2023-read-restricted": "Health checks and documentation are public.",
  "owasp:api4:2023-rate-limit": "Rate limits belong to keys.",
  "owasp:api4:2023-rate-limit-responses-429": "Rate limits belong to keys.",
  "owasp:api8:2023-define-error-responses-401": "An operation without a key cannot reject one.",
};
const withoutKey =
  /^paths\.\/(api\/session\.(post|delete)|healthz|readyz|openapi\.json|docs|problems|problems\/\{type\})\./;

test("the OpenAPI description passes Spectral's rules for OpenAPI and the OWASP rules", async () => {
  const rules = Object.fromEntries(Object.keys(rulesOff).map((name) => [name, "off" as const]));
  const spectral = new Spectral();
  spectral.setRuleset(new Ruleset({ extends: [oas, owasp], rules }));
  const found = (await spectral.run(new Document(JSON.stringify(api), Json)))
    .map(({ code, message, path }) => ({ code, message, path: path.join(".") }))
    .filter(({ code, path }) => !(code in rulesForKeys && withoutKey.test(path)));
  expect(found).toEqual([]);
}, 120_000);
