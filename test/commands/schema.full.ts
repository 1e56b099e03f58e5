import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, runRoster, shellCommand, temporaryFolder } from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";
import { startService, type TestService } from "../support/service.ts";
import { expectError } from "./support/commands.ts";

setDefaultTimeout(120_000);

let service: TestService;
const folder = temporaryFolder();
beforeAll(async () => {
  service = await startService();
  const lines = Array.from({ length: 1200 }, (_, i) =>
    JSON.stringify({ name: `User ${i + 1}`, level: i % 12 }),
  );
  await service.call("/api/users/import", {
    method: "POST",
    body: lines.join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
});
afterAll(() => service.stop());

const environment = () => ({ ROSTER_URL: service.url });
const run = (...args: string[]) => runRoster(["schema", ...args], { env: environment() });
const file = (schema: unknown) => {
  const path = join(folder, "schema.json");
  writeFileSync(path, typeof schema === "string" ? schema : JSON.stringify(schema));
  return path;
};
const levels = (maximum: number) => ({ properties: { level: { type: "integer", maximum } } });

test("schema set stores a schema, show prints it, and violations lists the users that it does not allow", async () => {
  expect(await run("show")).toMatchObject({ code: 0, stdout: "{}\n", stderr: "" });
  expect(await run("violations")).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "The schema allows all users.\n",
  });
  expect(await run("set", file(levels(10)))).toMatchObject({
    code: 0,
    stdout: "The schema is at version 1 now.\n",
  });
  expect(JSON.parse((await run("show")).stdout)).toEqual(levels(10));
  const { stdout, code } = await run("violations");
  expect(code).toBe(0);
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    "user 12  /level  Enter a number of at most 10.",
    "user 24  /level  Enter a number of at most 10.",
  ]);
  expect(stdout.trim().split("\n")).toHaveLength(100);
});

test("schema check counts the users that a schema does not allow, stores nothing, and exits with 1", async () => {
  const { version } = await service.roster.schema.get();
  const { code, stdout, stderr } = await run("check", file(levels(9)));
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(102);
  expect(lines.slice(-2)).toEqual(["… and 100 more.", "1200 users checked, 200 not allowed by the schema."]);
  expect(await run("check", file({}))).toMatchObject({
    code: 0,
    stdout: "1200 users checked, 0 not allowed by the schema.\n",
  });
  expect((await service.roster.schema.get()).version).toBe(version);
});

test("schema set and schema check read stdin for -", async () => {
  const piped = (schema: string, ...args: string[]) =>
    runCommand(["sh", "-c", `printf %s "$SCHEMA" | ${shellCommand(["schema", ...args, "-"])}`], {
      env: { ...environment(), SCHEMA: schema },
    });
  const checked = await piped(JSON.stringify(levels(9)), "check");
  expect(checked.stdout).toEndWith("1200 users checked, 200 not allowed by the schema.\n");
  expect(checked.code).toBe(1);
  expect(await piped(JSON.stringify(levels(50)), "set")).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse((await run("show")).stdout)).toEqual(levels(50));
  for (const text of ["", "{", "[]"]) {
    expectError(
      await piped(text, "set"),
      2,
      "stdin is not a JSON object. Use a file with a JSON Schema, or -",
    );
  }
  expect(JSON.parse((await run("show")).stdout)).toEqual(levels(50));
});

test("schema check shows a progress bar on a terminal", async () => {
  const { code, screen } = await runOnTerminal(["schema", "check", file(levels(11))], { env: environment() });
  expect(code).toBe(0);
  expect(screen).toMatch(/░+ {2}checking +0 % {2}0 of 1,200 users/);
  expect(screen).toMatch(/█+ {2}checking +100 % {2}1,200 of 1,200 users[^\n]*\n1200 users checked, 0 not/);
});

test("schema commands explain a schema that is not valid, and one that cannot be read", async () => {
  const invalid = await run("set", file({ properties: { level: { type: "int" } } }));
  expectError(invalid, 1, "properties/level/type: This must be one of string, number");
  expectError(await run("check", file("{")), 2, "schema.json");
  expectError(await run("set", join(folder, "missing.json")), 2, "missing.json");
  const duplicate = await runOnTerminal(
    ["schema", "check", file({ properties: { level: { type: "integer", "x-unique": true } } })],
    { env: environment() },
  );
  expect(duplicate.code).toBe(4);
  expect(duplicate.screen).toContain("have the same value");
});
