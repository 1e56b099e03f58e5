import { SCIM_PREFIX } from "../../src/contract/scim/scim.ts";
import { bearer } from "../../test/support/credentials.ts";
import type { PartOptions, ScimPart } from "./part.ts";
import { runPython } from "./python.ts";

const USERS = 1000;
const GROUPS = 250;
const FAILED = "FAILED ";

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;
const number = { type: "number" } as const;

/** One custom field of each type that SCIM has. */
const customFields = {
  properties: {
    badge: { ...text, "x-unique": true },
    level: integer,
    rate: number,
    remote: { type: "boolean" },
    started: { ...text, format: "date-time" },
    skills: { type: "array", items: text },
    team: { ...text, enum: ["red", "blue"] },
    desk: { type: "object", properties: { floor: integer, room: text } },
    devices: { type: "array", items: { type: "object", properties: { serial: text, weight: number } } },
  },
};

export const strictClient: ScimPart = {
  name: "strict-client",
  about: `scim2-client creates, reads, lists, filters, replaces, patches and deletes ${USERS} users and ${GROUPS} groups.`,
  needsPython: true,
  run,
};

async function run({ python, service, key, seed }: PartOptions): Promise<readonly string[]> {
  const put = await service.call("/api/schema", { method: "PUT", json: customFields, headers: bearer(key) });
  if (put.status !== 200) throw new Error(`PUT /api/schema is answered with ${put.status}.`);
  const failures: string[] = [];
  const code = await runPython({
    python,
    program: "strict_client",
    args: [service.url + SCIM_PREFIX, String(seed), String(USERS), String(GROUPS)],
    env: { SCIM_KEY: key },
    onLine: (line) => {
      if (line.startsWith(FAILED)) failures.push(line.slice(FAILED.length));
      else console.log(line);
    },
  });
  return code === 0 ? failures : [...failures, `The program ends with ${code}.`];
}
