import { isObject } from "../../src/contract/json.ts";
import { SCIM_PREFIX } from "../../src/contract/scim/scim.ts";
import { bearer } from "../../test/support/credentials.ts";
import type { PartOptions, ScimPart } from "./part.ts";
import { runPython } from "./python.ts";

/** The checks of this version of scim2-tester on a directory without custom fields. */
const FEWEST_CHECKS = 128;

/** One custom field of each type that scim2-tester has values for, and takes in its check of `add`. */
const customFields = {
  properties: {
    badge: { type: "string", title: "Badge", "x-unique": true },
    level: { type: "integer" },
    remote: { type: "boolean" },
    team: { type: "string", enum: ["red", "blue"] },
    desk: { type: "object", properties: { floor: { type: "integer" }, room: { type: "string" } } },
    anything: {},
  },
};

export const tester: ScimPart = {
  name: "tester",
  about: "Each check of scim2-tester succeeds on an empty directory, without and with custom fields.",
  needsPython: true,
  async run(options) {
    const first = await check("without custom fields", options);
    const { service, key } = options;
    const put = await service.call("/api/schema", {
      method: "PUT",
      json: customFields,
      headers: bearer(key),
    });
    if (put.status !== 200) throw new Error(`PUT /api/schema is answered with ${put.status}.`);
    return [...first, ...(await expectEmpty(options)), ...(await check("with custom fields", options))];
  },
};

async function check(what: string, { python, service, key, seed }: PartOptions): Promise<readonly string[]> {
  const lines: string[] = [];
  const code = await runPython({
    python,
    program: "scim2.py",
    args: [String(seed), "--url", service.url + SCIM_PREFIX, "test", "--verbose"],
    env: { SCIM_CLI_HEADERS: `Authorization: Bearer ${key}` },
    onLine: (line) => lines.push(line),
  });
  const results = readResults(lines);
  const failures = results.filter(({ status }) => status !== "SUCCESS").map(({ text }) => text);
  console.log(`${what}: ${results.length - failures.length} of ${results.length} checks succeed`);
  if (results.length < FEWEST_CHECKS)
    failures.push(`scim2-tester makes ${results.length} checks, and not ${FEWEST_CHECKS}.`);
  if (code !== 0) failures.push(`scim2 exits with ${code}.`);
  return failures.map((failure) => `${what}: ${failure}`);
}

interface Result {
  readonly status: string;
  readonly text: string;
}

/** A result is a line with its status and the name of the check. The lines that follow explain it. */
function readResults([heading, ...lines]: readonly string[]): Result[] {
  if (!heading?.startsWith("Performing a SCIM compliance check"))
    return [{ status: "unknown", text: [heading, ...lines].join("\n") }];
  const results: Result[] = [];
  for (const line of lines) {
    const [, status] = /^([A-Z]+) [a-z_]+$/.exec(line) ?? [];
    const last = results.at(-1);
    if (status !== undefined) results.push({ status, text: line });
    else if (last) results[results.length - 1] = { ...last, text: `${last.text}\n${line}` };
  }
  return results;
}

/** The second run starts with an empty directory, too, if the checks delete what they create. */
async function expectEmpty({ service, key }: PartOptions): Promise<string[]> {
  const response = await service.call(`${SCIM_PREFIX}/.search`, {
    method: "POST",
    json: { count: 0 },
    headers: bearer(key),
  });
  const body: unknown = await response.json();
  const total = isObject(body) ? body.totalResults : undefined;
  return total === 0 ? [] : [`After the checks, the directory has ${total} resources.`];
}
