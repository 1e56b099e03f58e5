import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { root } from "../support/paths.ts";

const src = join(root, "src");

/** The folders that each folder of src may import from. Any other import between folders fails. */
const allowedImports: Record<string, readonly string[]> = {
  contract: [],
  config: ["contract"],
  domain: ["contract"],
  scim: ["contract", "domain"],
  store: ["config", "contract", "domain"],
  telemetry: ["domain"],
  webhooks: ["contract", "domain"],
  pages: ["contract"],
  http: ["config", "console", "contract", "domain", "pages", "scim", "telemetry"],
  client: [],
  "sample-users": ["contract"],
  console: ["client", "contract", "pages", "sample-users"],
  "start-node.ts": ["config", "domain", "http", "telemetry", "webhooks"],
  "serve.ts": ["config", "domain", "http", "start-node.ts", "store", "telemetry", "webhooks"],
  cli: ["client", "config", "contract", "domain", "sample-users", "scim", "serve.ts", "store", "webhooks"],
};

/** Third-party packages and Bun modules, with the folders that may import them. */
const allowedPackages: Record<string, readonly string[]> = {
  typebox: ["contract", "domain"],
  "csv-stringify": ["domain"],
  "csv-parse": ["domain"],
  react: ["console"],
  "react-dom": ["console"],
  wouter: ["console"],
  papaparse: ["console"],
  lucide: ["console"],
  "@base-ui": ["console"],
  "@tanstack": ["console"],
  "@modelcontextprotocol": ["cli"],
  "bun:sqlite": ["store"],
  bun: ["store"],
};

const folderOf = (path: string) => path.split("/")[0] ?? "";
const isRelative = (specifier: string) => specifier.startsWith(".");
const resolveFrom = (file: string, specifier: string) => join(dirname(file), specifier);

/** Every module that a file names: static, type-only and dynamic imports, and worker or asset URLs. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), "utf8");
  const matches = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from "([^"]+)"/gm),
    ...text.matchAll(/^import "([^"]+)"/gm),
    ...text.matchAll(/\bimport\("([^"]+)"\)/g),
    ...text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g),
  ];
  return matches.map(([, specifier = ""]) => specifier);
}

/** Every module that loads before the first line of a file runs, the file included. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  loaded.add(file);
  if (!file.endsWith(".ts")) return loaded;
  const text = readFileSync(join(src, file), "utf8");
  for (const [, specifier = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm)) {
    const module = isRelative(specifier) ? resolveFrom(file, specifier) : specifier;
    if (!loaded.has(module)) loadedBy(module, loaded);
  }
  return loaded;
}

/** Groups of files that import each other, directly or through others (Tarjan's algorithm). */
function importCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const index = indexes.size;
    indexes.set(file, index);
    lowest.set(file, index);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      const reached = indexes.has(target)
        ? stack.includes(target)
          ? (indexes.get(target) ?? index)
          : index
        : visit(target);
      lowest.set(file, Math.min(lowest.get(file) ?? index, reached));
    }
    if (lowest.get(file) === index) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1 || graph.get(file)?.includes(file)) cycles.push(group.sort());
    }
    return lowest.get(file) ?? index;
  };
  for (const file of graph.keys()) if (!indexes.has(file)) visit(file);
  return cycles;
}

const files = [...new Glob("**/*.{ts,tsx}").scanSync(src)].sort();

describe("the source code", () => {
  test("has exactly the folders that are listed above", () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(allowedImports).sort());
  });

  test.each(files)("%s imports only from folders and packages that its folder may use", (file) => {
    const folder = folderOf(file);
    const folders = [folder, ...(allowedImports[folder] ?? []), ".."];
    const forbidden = importsOf(file).filter((specifier) => {
      if (isRelative(specifier)) return !folders.includes(folderOf(resolveFrom(file, specifier)));
      if (specifier.startsWith("node:")) return false;
      return !allowedPackages[folderOf(specifier)]?.includes(folder);
    });
    expect(forbidden).toEqual([]);
  });

  test("has no import cycle between files", () => {
    const targets = (file: string) =>
      importsOf(file)
        .filter(isRelative)
        .map((specifier) => resolveFrom(file, specifier));
    expect(importCycles(new Map(files.map((file) => [file, targets(file)])))).toEqual([]);
  });

  test.each(["domain", "store", "store/lists"])("the folders and files of %s form no ring", (folder) => {
    const depth = folder.split("/").length + 1;
    const siblingOf = (path: string) => path.split("/").slice(0, depth).join("/");
    const siblings = Map.groupBy(
      files.filter((file) => file.startsWith(`${folder}/`)),
      siblingOf,
    );
    const importedBy = (file: string) =>
      importsOf(file)
        .filter(isRelative)
        .map((specifier) => siblingOf(resolveFrom(file, specifier)));
    const graph = [...siblings].map(([sibling, members]): [string, string[]] => [
      sibling,
      members.flatMap(importedBy).filter((target) => target !== sibling && siblings.has(target)),
    ]);
    expect(graph.length).toBeGreaterThan(10);
    expect(importCycles(new Map(graph))).toEqual([]);
  });

  test("finds cycles: two files, three files, and a file that imports itself", () => {
    const graph = new Map([
      ["a", ["b", "leaf"]],
      ["b", ["a"]],
      ["c", ["d"]],
      ["d", ["e", "a"]],
      ["e", ["c"]],
      ["self", ["self"]],
      ["leaf", []],
    ]);
    expect(importCycles(graph).sort()).toEqual([["a", "b"], ["c", "d", "e"], ["self"]]);
  });

  test("only config/version.ts imports from outside src", () => {
    const isOutside = (file: string) => (specifier: string) =>
      isRelative(specifier) && resolveFrom(file, specifier).startsWith("..");
    expect(files.filter((file) => importsOf(file).some(isOutside(file)))).toEqual(["config/version.ts"]);
  });

  test("http/streams knows no resource", () => {
    const streams = files.filter((file) => file.startsWith("http/streams/"));
    expect(streams).toContain("http/streams/streams.ts");
    const resources = /^(http|domain)\/(bulk|deleted-users|events|fields|keys|schema|users|webhooks)\b/;
    const imported = streams.flatMap((file) => importsOf(file).map((name) => resolveFrom(file, name)));
    expect(imported.filter((module) => resources.test(module))).toEqual([]);
  });

  const lightCommands = [
    "main.ts",
    "commands/serve.ts",
    ...new Glob("commands/users/*.ts").scanSync(join(src, "cli")),
  ];
  test.each(lightCommands.sort())("cli/%s starts without loading the service or a package", (file) => {
    const loaded = [...loadedBy(join("cli", file))];
    expect(loaded).toContain("config/config.ts");
    expect(
      loaded.filter((module) => module === "serve.ts" || Object.hasOwn(allowedPackages, module)),
    ).toEqual([]);
  });

  test("only cli/main.ts reads process.env", () => {
    const readers = files.filter((file) =>
      /(?<!")\b(process|Bun)\.env\b/.test(readFileSync(join(src, file), "utf8")),
    );
    expect(readers).toEqual(["cli/main.ts"]);
  });

  test("only cli/output/screen.ts, which escapes control characters, writes to stdout and stderr", () => {
    const writers = files
      // These run in browsers, or print code samples. The client library logs retries unless its caller sets onRetry, as the CLI does.
      .filter((file) => !["console", "pages", "client"].includes(folderOf(file)))
      .filter((file) =>
        /\b(process|Bun)\.std(out|err)\b|\bconsole\.(log|error|warn|info|debug)\b|writeSync\([12],/.test(
          readFileSync(join(src, file), "utf8"),
        ),
      );
    expect(writers).toEqual(["cli/output/screen.ts"]);
  });

  test("domain and store name no HTTP status", () => {
    const mentions = files
      .filter((file) => ["domain", "store"].includes(folderOf(file)))
      .filter((file) => /\bstatus\b/.test(readFileSync(join(src, file), "utf8")));
    expect(mentions).toEqual([]);
  });
});
