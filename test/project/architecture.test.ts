import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";
import { root } from "../support/paths.ts";

const src = join(root, "src");

/** Which rooms a room may import from. Arrows run one way; whatever is not here is against them. */
const arrows: Record<string, readonly string[]> = {
  contract: [],
  config: ["contract"],
  domain: ["contract"],
  store: ["config", "contract", "domain"],
  telemetry: ["domain"],
  pages: ["contract"],
  http: ["config", "console", "contract", "domain", "pages", "telemetry"],
  client: [],
  console: ["client", "contract", "pages"],
  "serve.ts": ["config", "domain", "http", "store", "telemetry"],
  cli: ["client", "config", "contract", "domain", "serve.ts", "store"],
};

/** Packages from outside, and the rooms that know them. */
const packages: Record<string, readonly string[]> = {
  typebox: ["contract"],
  "csv-stringify": ["domain"],
  "csv-parse": ["http"],
  react: ["console"],
  "react-dom": ["console"],
  wouter: ["console"],
  papaparse: ["console"],
  "lucide-react": ["console"],
  "@base-ui": ["console"],
  "@tanstack": ["console"],
  "bun:sqlite": ["store"],
  bun: ["store"],
};

const roomOf = (path: string) => path.split("/")[0] ?? "";

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), "utf8");
  const urls = [...text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)];
  const modules = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from "([^"]+)"/gm),
    ...text.matchAll(/^import "([^"]+)"/gm),
    ...text.matchAll(/\bimport\("([^"]+)"\)/g),
  ];
  return [...modules, ...urls].map(([, target = ""]) => target);
}

/** All that is loaded before the first line of a file runs, itself included. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  loaded.add(file);
  if (!file.endsWith(".ts")) return loaded;
  const text = readFileSync(join(src, file), "utf8");
  for (const [, target = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm)) {
    const module = target.startsWith(".") ? join(dirname(file), target) : target;
    if (!loaded.has(module)) loadedBy(module, loaded);
  }
  return loaded;
}

const files = [...new Glob("**/*.{ts,tsx}").scanSync(src)].sort();

describe("the house", () => {
  test("has the rooms that are written down, and no others", () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(arrows).sort());
  });

  for (const file of files) {
    test(`${file} imports along the arrows`, () => {
      const room = roomOf(file);
      for (const target of importsOf(file)) {
        if (target.startsWith(".")) {
          const other = roomOf(relative(src, join(src, dirname(file), target)));
          const allowed = [room, ...(arrows[room] ?? []), ".."];
          expect({ file, target, allowed: allowed.includes(other) }).toEqual({ file, target, allowed: true });
        } else if (!target.startsWith("node:")) {
          const name = target.split("/")[0] ?? "";
          expect({ file, target, allowed: packages[name]?.includes(room) }).toEqual({
            file,
            target,
            allowed: true,
          });
        }
      }
    });
  }

  test("only the package's own name and version come from outside src", () => {
    const outside = files.filter((file) =>
      importsOf(file).some(
        (target) =>
          target.startsWith(".") && relative(src, join(src, dirname(file), target)).startsWith(".."),
      ),
    );
    expect(outside).toEqual(["config/version.ts"]);
  });

  const light = [
    "main.ts",
    "commands/serve.ts",
    ...new Glob("commands/users/*.ts").scanSync(join(src, "cli")),
  ];
  test.each(light.sort())(
    "cli/%s starts without the service, a database, or packages from outside",
    (file) => {
      const loaded = [...loadedBy(join("cli", file))];
      expect(loaded).toContain("cli/command.ts");
      expect(loaded.filter((each) => each === "serve.ts" || Object.hasOwn(packages, each))).toEqual([]);
    },
  );

  test("process.env is read by the command alone, and handed on", () => {
    const readers = files.filter((file) =>
      /(?<!")\b(process|Bun)\.env\b/.test(readFileSync(join(src, file), "utf8")),
    );
    expect(readers).toEqual(["cli/main.ts"]);
  });

  test("a status is written only in the contract and in http", () => {
    const stray = files
      .filter((file) => ["domain", "store"].includes(roomOf(file)))
      .filter((file) => /\bstatus\b/.test(readFileSync(join(src, file), "utf8")));
    expect(stray).toEqual([]);
  });
});
