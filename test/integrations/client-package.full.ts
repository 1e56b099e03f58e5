import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { $ } from "bun";
import { publint } from "publint";
import { buildClient, measureModules } from "../../scripts/build-client.ts";
import { documentedSizes } from "../../scripts/client-sizes.ts";
import { root } from "../support/paths.ts";
import { startService, type TestService } from "../support/service.ts";

/** A project with the client's package installed. */
const project = mkdtempSync(join(tmpdir(), "roster-client-"));
const packed = join(project, "node_modules", "roster-client");
const tsc = join(root, "node_modules", ".bin", "tsc");
let service: TestService;
let tarball: string;
let files: string[];

beforeAll(async () => {
  service = await startService();
  const built = await buildClient(join(project, "built"));
  const output = await $`npm pack ${built} --json --pack-destination ${project}`.quiet().json();
  const [{ filename }] = Array.isArray(output) ? output : Object.values(output);
  tarball = join(project, filename);
  mkdirSync(packed, { recursive: true });
  await $`tar -xzf ${tarball} -C ${packed} --strip-components=1`.quiet();
  files = [...new Bun.Glob("**/*").scanSync(packed)].sort();
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
}, 120_000);
afterAll(async () => {
  await service.stop();
  rmSync(project, { recursive: true });
});

const modules = [
  "bulk",
  "filter",
  "follow-events",
  "index",
  "react-admin",
  "refine",
  "request-json",
  "webhooks",
];

test("the package has eight modules in two formats, source maps, types, a README and a license", () => {
  expect(files.filter((file) => !file.startsWith("types/"))).toEqual(
    [
      "LICENSE",
      "README.md",
      "package.json",
      ...modules.flatMap((name) => [".cjs", ".cjs.map", ".js", ".js.map"].map((end) => name + end)),
    ].sort(),
  );
  expect(files).toContain("types/index.d.ts");
  const manifest = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "roster-client" });
  expect(manifest).not.toHaveProperty("dependencies");
});

test("every way to import the package finds the right types", async () => {
  const result = await checkPackage(
    createPackageFromTarballData(new Uint8Array(await Bun.file(tarball).arrayBuffer())),
  );
  if (!result.types) throw new Error("The package has no types.");
  const { problems, entrypoints } = result;
  expect(problems).toEqual([]);
  expect(Object.keys(entrypoints)).toEqual([
    ".",
    "./filter",
    "./webhooks",
    "./react-admin",
    "./refine",
    "./package.json",
  ]);
});

test("the package follows the conventions of npm packages", async () => {
  const { messages } = await publint({ pkgDir: packed, level: "suggestion", strict: true, pack: false });
  expect(messages).toEqual([]);
});

test("index.js is smaller than 6.9 KB gzipped, the providers smaller than 4.8 KB, bulk.js smaller than 3.9 KB, the other modules smaller than 3.5 KB", () => {
  const sizeOf = (file: string) => Bun.gzipSync(readFileSync(join(packed, file)), { level: 9 }).length;
  expect(sizeOf("index.js")).toBeLessThan(6.9 * 1024);
  expect(sizeOf("bulk.js")).toBeLessThan(3.9 * 1024);
  for (const name of ["filter.js", "follow-events.js", "request-json.js", "webhooks.js"]) {
    expect(sizeOf(name)).toBeLessThan(3.5 * 1024);
  }
  for (const name of ["react-admin.js", "refine.js"]) expect(sizeOf(name)).toBeLessThan(4.8 * 1024);
});

test("docs/client.md states the size of each module (npm run docs)", () => {
  const documented = documentedSizes();
  const sizes = measureModules(packed);
  expect([...documented.keys()].sort()).toEqual([...sizes.keys()].sort());
  // Compression may differ by a few bytes between processors.
  for (const [name, size] of sizes) expect(Math.abs((documented.get(name) ?? 0) - size)).toBeLessThan(0.1);
});

test("the modules use no platform-specific API and import nothing outside the package", () => {
  const imports: Record<string, string[]> = {
    index: ["./bulk", "./follow-events", "./request-json"],
    bulk: ["./index"],
    "follow-events": ["./index"],
    "request-json": ["./index"],
  };
  for (const [name, extension] of modules.flatMap((name) => [
    [name, ".js"] as const,
    [name, ".cjs"] as const,
  ])) {
    const text = readFileSync(join(packed, name + extension), "utf8");
    expect(text).not.toMatch(/node:|\bBun\b|\bBuffer\b/);
    if (extension === ".js") expect(text).not.toMatch(/\brequire\(/);
    const imported = [...text.matchAll(/(?:from|(?<!")\bimport\(?|\brequire\()\s*"([^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(new Set(imported)).toEqual(new Set((imports[name] ?? []).map((path) => path + extension)));
  }
});

test("the types import existing modules", () => {
  for (const file of files.filter((name) => name.startsWith("types/"))) {
    expect(readFileSync(join(packed, file), "utf8")).not.toMatch(/"\.\/[^"]+\.ts"/);
  }
});

const program = `
import { ApiError, createClient, type User } from "roster-client";
import { and, fieldsOf } from "roster-client/filter";
import { verifyWebhook } from "roster-client/webhooks";
const hook = async (request: Request) => {
  const message = await verifyWebhook<{ department: string }>(request, ["whsec_a", "whsec_b"]);
  if (message.type !== "user.updated" || typeof message.data.record === "string" || message.data.record === null) return message.id;
  const version: number = message.data.version;
  // @ts-expect-error a department is text
  const wrongRecord: number = message.data.record.department;
  return message.data.record.department + version + wrongRecord;
};
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
for await (const { line, problem, id } of roster.users.import(two)) levels.push(problem ? problem.status : line + (id ?? 0));
// @ts-expect-error the department is missing
const wrongest = () => roster.users.import([{ name: "Bob" }]);
const bobs: string[] = [];
for await (const user of roster.users.export({ q: "Bob" })) bobs.push(user.department);
const table: ReadableStream<Uint8Array> = await roster.users.export({ q: "Bob" }).stream("csv");
if (!(await new Response(table).text()).includes(",Bob,,x,")) throw new Error("no table");
const person = fieldsOf<{ department: string; level?: number }>();
const filter = and(person("name").sw("bo"), person("level").eq(null));
for await (const { id, name } of roster.users.list({ filter, fields: ["name"] })) if (name !== "Bob") throw new Error(String(id));
// @ts-expect-error a level is a number
const wrongFilter = () => person("level").eq("high");
const error = await roster.users.get(999_999).catch((reason: unknown) => reason);
if (!(error instanceof ApiError)) throw new Error("no ApiError");
console.log(department, bobs.length, levels.at(-1), error.type, [wrong, wronger, wrongest, wrongFilter, hook].length);
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

const commonJs = `
const { ApiError, createClient } = require("roster-client");
const { field } = require("roster-client/filter");
const { createDataProvider } = require("roster-client/react-admin");
const { verifyWebhook } = require("roster-client/webhooks");
const roster = createClient({ baseUrl: process.argv[2] });
(async () => {
  const { created, failures } = await roster.users.import([{ name: "Cy" }, { name: "" }]).summary();
  const error = await roster.users.get(999_999).catch((reason) => reason);
  const { data } = await createDataProvider(roster).getList("users", { filter: { q: "Cy" } });
  const filtered = await roster.users.list({ filter: field("name").eq("cy") }).all();
  console.log(created, failures.length, error instanceof ApiError, data.length > 0, filtered.length > 0, typeof verifyWebhook);
})();
`;

test("a CommonJS program with the package runs on Node", async () => {
  writeFileSync(join(project, "program.cjs"), commonJs);
  const { stdout, stderr } = await $`node program.cjs ${service.url}`.cwd(project).quiet().nothrow();
  expect(stderr.toString()).toBe("");
  expect(stdout.toString()).toBe("1 1 true true true function\n");
}, 120_000);

for (const runtime of ["node", process.execPath]) {
  test(`a program with the package runs on ${runtime === "node" ? "Node" : "Bun"}`, async () => {
    const plain = new Bun.Transpiler({ loader: "ts", target: "node" }).transformSync(program);
    writeFileSync(join(project, "program.mjs"), plain);
    const { stdout, stderr } = await $`${runtime} program.mjs ${service.url}`.cwd(project).quiet().nothrow();
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toMatch(/^x \d 422 user-not-found 5\n$/);
  }, 120_000);
}
