import { urns } from "../../src/scim/attributes.ts";
import type { JsonCaller } from "../request-costs/json-caller.ts";
import { sampleUser } from "../support/sample-users.ts";

const IMPORT_LINES = 10_000;

/** A user as Entra sends it with its usual mappings, and the same user for the API. */
export function person(number: number) {
  const { name, email, department } = sampleUser(number);
  const [givenName = name, familyName = name] = name.split(" ");
  const userName = `person${number}@corp.example`;
  const externalId = `8f3c2d1e-5b7a-4c6f-9e1d-${String(number).padStart(12, "0")}`;
  const title = `Level ${number % 8}`;
  const employeeNumber = String(100_000 + number);
  return {
    resource: {
      schemas: [urns.user, urns.enterpriseUser],
      ...{ externalId, userName, active: true, displayName: name, title },
      emails: [{ primary: true, type: "work", value: email }],
      name: { formatted: name, familyName, givenName },
      [urns.enterpriseUser]: { department, employeeNumber },
    },
    record: {
      ...{ name, email, userName, externalId, active: true, title },
      ...{ formattedName: name, familyName, givenName, department, employeeNumber },
    },
  };
}

/** Imports the first people into an empty directory. */
export async function importPeople(caller: JsonCaller, count: number): Promise<void> {
  for (let first = 1; first <= count; first += IMPORT_LINES) {
    const length = Math.min(IMPORT_LINES, count - first + 1);
    const lines = Array.from({ length }, (_, index) => `${JSON.stringify(person(first + index).record)}\n`);
    const results = await caller.sendText(
      "/api/users/import",
      "POST",
      "application/x-ndjson",
      lines.join(""),
    );
    const created = results.split('"status":201').length - 1;
    if (created !== length) throw new Error(`${created} of ${length} people are imported.`);
  }
}
