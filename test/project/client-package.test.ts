import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { buildClient } from "../../scripts/build-client.ts";
import { root } from "../support/paths.ts";
import { startService, type TestService } from "../support/service.ts";

/** A project with the client's package installed. */
const project = mkdtempSync(join(tmpdir(), "roster-client-"));
const packed = join(project, "node_modules", "roster-client");
const tsc = join(root, "node_modules", ".bin", "tsc");
let service: TestService;
let files: string[];

beforeAll(async () => {
  service = await startService();
  const built = await buildClient(join(project, "built"));
  const output = await $`npm pack ${built} --json --pack-destination ${project}`.quiet().json();
  const [{ filename }] = Array.isArray(output) ? output : Object.values(output);
  mkdirSync(packed, { recursive: true });
  await $`tar -xzf ${join(project, filename)} -C ${packed} --strip-components=1`.quiet();
  files = [...new Bun.Glob("**/*").scanSync(packed)].sort();
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
}, 120_000);
afterAll(async () => {
  await service.stop();
  rmSync(project, { recursive: true });
});

test("the package has two modules, source maps, types, a README and a license", () => {
  expect(files.filter((file) => !file.startsWith("types/"))).toEqual([
    "LICENSE",
    "README.md",
    "bulk.js",
    "bulk.js.map",
    "index.js",
    "index.js.map",
    "package.json",
  ]);
  expect(files).toContain("types/index.d.ts");
  const manifest = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "roster-client" });
  expect(manifest).not.toHaveProperty("dependencies");
});

test("index.js is smaller than 5 KB gzipped, and bulk.js smaller than 3 KB", () => {
  const sizeOf = (file: string) => Bun.gzipSync(readFileSync(join(packed, file)), { level: 9 }).length;
  expect(sizeOf("index.js")).toBeLessThan(5 * 1024);
  expect(sizeOf("bulk.js")).toBeLessThan(3 * 1024);
});

test("the modules use no platform-specific API and import nothing outside the package", () => {
  for (const file of ["index.js", "bulk.js"]) {
    const text = readFileSync(join(packed, file), "utf8");
    expect(text).not.toMatch(/node:|\brequire\(|\bBun\b|\bBuffer\b/);
    const imported = [...text.matchAll(/(?:from|(?<!")\bimport\(?)\s*"([^"]+)"/g)].map(([, from]) => from);
    expect(new Set(imported)).toEqual(new Set([file === "index.js" ? "./bulk.js" : "./index.js"]));
  }
});

test("the types import existing modules", () => {
  for (const file of files.filter((name) => name.startsWith("types/"))) {
    expect(readFileSync(join(packed, file), "utf8")).not.toMatch(/"\.\/[^"]+\.ts"/);
  }
});

const program = `
import { ApiError, createClient, type User } from "roster-client";
const roster = createClient<{ department: string; level?: number }>({ baseUrl: process.argv[2] ?? "" });
const created: User<{ department: string; level?: number }> = await roster.users.create({ name: "Ada", department: "x" });
const department: string = (await roster.users.get(created.id)).department;
const levels: (number | undefined)[] = [];
for await (const user of roster.users.list({ where: { department } })) levels.push(user.level);
// @ts-expect-error the department is missing
const wrong = () => roster.users.create({ name: "Bob" });
// @ts-expect-error a level is a number
const wronger = () => roster.users.update(1, { level: "high" });
await roster.users.update(created.id, { level: null }, { ifUnchanged: created });
const two = [{ name: "Bob", department }, { name: "", department }];
for await (const { line, problem, id } of roster.users.import(two)) levels.push(problem ? problem.status : line + id);
// @ts-expect-error the department is missing
const wrongest = () => roster.users.import([{ name: "Bob" }]);
const bobs: string[] = [];
for await (const user of roster.users.export({ q: "Bob" })) bobs.push(user.department);
const table: ReadableStream<Uint8Array> = await roster.users.export({ q: "Bob" }).stream("csv");
if (!(await new Response(table).text()).includes(",Bob,,x,")) throw new Error("no table");
const error = await roster.users.get(999_999).catch((reason: unknown) => reason);
if (!(error instanceof ApiError)) throw new Error("no ApiError");
console.log(department, bobs.length, levels.at(-1), error.type, [wrong, wronger, wrongest].length);
`;

for (const [moduleResolution, module] of [
  ["nodenext", "nodenext"],
  ["bundler", "esnext"],
] as const) {
  test(`the types work with module resolution ${moduleResolution}`, async () => {
    writeFileSync(join(project, "program.ts"), program);
    const flags = [
      "--noEmit",
      "--strict",
      "--target",
      "esnext",
      "--module",
      module,
      "--moduleResolution",
      moduleResolution,
    ];
    const types = ["--lib", "esnext,dom,dom.iterable", "--types", "", "--skipLibCheck", "false"];
    writeFileSync(join(project, "process.d.ts"), "declare const process: { argv: string[] };");
    const { stdout, exitCode } = await $`${tsc} ${flags} ${types} program.ts process.d.ts`
      .cwd(project)
      .quiet()
      .nothrow();
    expect({ exitCode, output: stdout.toString() }).toEqual({ exitCode: 0, output: "" });
  }, 120_000);
}

for (const runtime of ["node", process.execPath]) {
  test(`a program with the package runs on ${runtime === "node" ? "Node" : "Bun"}`, async () => {
    const plain = new Bun.Transpiler({ loader: "ts", target: "node" }).transformSync(program);
    writeFileSync(join(project, "program.mjs"), plain);
    const { stdout, stderr } = await $`${runtime} program.mjs ${service.url}`.cwd(project).quiet().nothrow();
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toMatch(/^x \d 422 user-not-found 3\n$/);
  }, 120_000);
}
