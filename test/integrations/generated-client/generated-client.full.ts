import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { operations } from "../../../src/contract/operations.ts";
import { startService, type TestService } from "../../support/service.ts";

const folder = import.meta.dir;
/** TypeScript 5, beside openapi-typescript: the project itself has a later version. */
const compiler = join(folder, "..", "node_modules", "typescript", "bin", "tsc");

let service: TestService;
beforeAll(async () => {
  service = await startService();
  mkdirSync(join(folder, "generated"), { recursive: true });
  await generateTypes("schema.d.ts");
  await service.roster.schema.set({
    properties: {
      badge: { type: "string", pattern: "^B-\\d{4}$", "x-unique": true },
      level: { type: ["integer", "null"], minimum: 1 },
      address: { type: "object", properties: { city: { type: "string" } }, additionalProperties: false },
      tags: { type: "array", items: { enum: ["vip", "new"] } },
    },
    required: ["badge"],
  });
  await generateTypes("with-schema.d.ts");
  await service.roster.schema.remove();
}, 120_000);
afterAll(() => service.stop());

/** Writes the types of the service's description as it is now. */
async function generateTypes(file: string): Promise<void> {
  const description = await (await service.call("/openapi.json")).text();
  writeFileSync(join(folder, "generated", file), astToString(await openapiTypeScript(description)));
}

async function run(command: readonly string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([...command], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: out + err };
}

test("calls of every operation match the types that openapi-typescript generates", async () => {
  expect(await run([process.execPath, compiler, "--project", "tsconfig.calls.json"])).toEqual({
    code: 0,
    output: "",
  });
}, 120_000);

test("a generated client gets the described response from every operation", async () => {
  const { code, output } = await run([process.execPath, "calls.ts", service.url]);
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual({
    created: [201, "Ada"],
    listed: [200, 1],
    chosen: [200, [[null, "ada@example.com"]]],
    explained: [200, 1],
    read: [200, "ada@example.com"],
    replaced: [200, 2],
    patched: [200, 3],
    rejected: [422, "/name"],
    imported: [200, '{"line":2,"status":201,"id":2}\n'],
    exported: [200, 3],
    changed: [200, '{"id":2,"status":200}\n'],
    fields: [200, ["string"]],
    values: [200, "research"],
    stats: [200, 2],
    events: [200, "user.created"],
    history: [200, 3],
    removed: [204, null],
    deleted: [200, 3],
    readDeleted: [200, "Ada King"],
    restored: [200, "ada@example.org"],
    removedAgain: 204,
    purged: 204,
    importedGroups: [200, '{"line":1,"status":201}\n'],
    createdGroup: [201, "Sales"],
    groups: [200, 0],
    exportedGroups: [200, "id,name,version\r\n1,Sales,1\r\n"],
    explainedGroups: [200, 1],
    group: [200, 1],
    replacedGroup: [200, "Sales north"],
    patchedGroup: [200, 3],
    addedMembers: [200, { added: 1, removed: 0 }],
    members: [200, 1],
    member: [200, 2],
    usersInGroups: [200, 2],
    importedMembers: [200, '{"line":1,"status":200}\n'],
    exportedMembers: [200, "group,user\r\n1,2\r\n"],
    groupsOfUser: [200, 1],
    removedMember: 204,
    addedMember: 204,
    deletedGroup: 204,
    changedSchema: [200, { properties: { level: { type: "number" } }, required: ["level"] }],
    schema: [200, { properties: { level: { type: "number" } }, required: ["level"] }],
    versions: [200, 3],
    violations: [200, 2],
    deletedSchema: 204,
    missing: [404, "/problems/user-not-found"],
    health: [200, "ok"],
    ready: [200, "ok"],
    metrics: [200, true],
    description: [200, "object"],
    docs: 200,
    problems: 200,
    problem: 200,
    createdHook: [201, "whsec_"],
    hooks: [200, ["user.*"]],
    hook: [200, true],
    changedHook: [200, "level ge 3"],
    rotatedHook: [200, 3],
    deliveries: [200, 0],
    delivery: [404, "/problems/delivery-not-found"],
    attempts: [200, 2],
    replay: [409, "/problems/webhook-inactive"],
    resent: [409, "/problems/webhook-inactive"],
    sample: [200, false],
    deletedHook: 204,
    createdKey: [201, ["users:read", "keys:manage"]],
    unauthenticated: [401, "/problems/unauthenticated"],
    keys: [200, 1],
    key: [200, 100],
    usage: [200, 3],
    signedIn: [200, "session"],
    session: [200, "generated"],
    signedOut: 204,
    revoked: 204,
    afterRevoke: [401, "/problems/key-revoked"],
  });
}, 120_000);

test("every operation is called", async () => {
  const calls = await Bun.file(join(folder, "calls.ts")).text();
  for (const { method, path } of Object.values(operations)) {
    expect(calls).toContain(`client.${method}("${path}"`);
  }
});
