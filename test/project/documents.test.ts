import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { readResults, renderDocuments } from "../../bench/peers/documents.ts";
import packageJson from "../../package.json" with { type: "json" };
import { cliPage, cliPagePath } from "../../scripts/cli-page.ts";
import { configurationPage, configurationPagePath } from "../../scripts/configuration-page.ts";
import { scimPage, scimPagePath } from "../../scripts/scim-page.ts";
import type { Commands } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { eventLimits } from "../../src/contract/events/event.ts";
import { formatScopes, listScopes, type Operation } from "../../src/contract/operation.ts";
import { operations } from "../../src/contract/operations.ts";
import { problems } from "../../src/contract/problems.ts";
import { root } from "../support/paths.ts";

/** The names of all commands that have no subcommands. */
function listLeaves(parent: string, table: Commands): string[] {
  return Object.entries(table).flatMap(([word, { commands: below }]) =>
    below ? listLeaves(`${parent}${word} `, below) : [parent + word],
  );
}

const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("the project's pages", () => {
  test("docs/configuration.md is up to date (npm run docs)", () => {
    expect(readFileSync(configurationPagePath, "utf8")).toBe(configurationPage());
  });

  test("docs/cli.md is up to date (npm run docs)", async () => {
    expect(readFileSync(cliPagePath, "utf8")).toBe(await cliPage());
  });

  test("docs/scim.md has the table of SCIM's attributes (npm run docs)", () => {
    expect(readFileSync(scimPagePath, "utf8")).toBe(scimPage());
  });

  test("docs/cli.md says of every command that it calls a service, works on the host, or needs neither", async () => {
    const [, section = ""] = (await cliPage()).split("## Where commands work\n");
    const [table = ""] = section.split("\n## ");
    const rows = [...table.matchAll(/^\| (call a service|work on the host|need neither)[^|]* \| (.+) \|$/gm)];
    const places = new Map(
      rows.flatMap(([, place = "", names = ""]) =>
        [...names.matchAll(/`roster ([^`]+)`/g)].map(([, name = ""]) => [name, place]),
      ),
    );
    const found = listLeaves("", commands).map((name) => ({
      name,
      place: places.get(name) ?? places.get(name.split(" ")[0] ?? ""),
    }));
    const namesOf = (place: string | undefined) =>
      found.flatMap((command) => (command.place === place ? [command.name] : []));
    expect(namesOf(undefined)).toEqual([]);
    // A new command that works neither with a service nor on the host: is it meant to?
    expect(namesOf("need neither")).toEqual([
      "logout",
      "profiles",
      "keys generate",
      "openapi",
      "completion",
      "help",
      "version",
    ]);
    expect(namesOf("call a service")).toEqual(
      expect.arrayContaining(["users import", "schema set", "login", "mcp"]),
    );
    expect(namesOf("work on the host")).toEqual(
      expect.arrayContaining(["serve", "keys create", "move", "health"]),
    );
  });

  const results = readResults();
  test.each(results ? Object.entries(renderDocuments(results)) : [])(
    "%s has the figures of the last benchmark (npm run bench -- peers)",
    (path, text) => {
      expect(read(path)).toBe(text);
    },
  );

  test("the help of every command fits a terminal of 80 columns", async () => {
    const help = [...(await cliPage()).matchAll(/^```text\n(.*?)^```/gms)].flatMap(([, text = ""]) =>
      text.split("\n"),
    );
    expect(help.length).toBeGreaterThan(300);
    expect(help.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
  });

  test("docs/security.md says what every operation tells a key without users:read", () => {
    const [, section = ""] = read("docs/security.md").split("## What a key learns without `users:read`\n");
    const [table = ""] = section.split("\n## ");
    const rows = [...table.matchAll(/^\| `([A-Z]+ \/.*?)` \| (.+?) \| (.+) \|$/gm)];
    const badges: Record<string, string> = { public: "no key", authenticated: "any key" };
    const callable = Object.values<Operation>(operations).filter(
      (operation) =>
        !listScopes(operation).some(
          ({ anyOf, query, member }) => anyOf.join() === "users:read" && (query ?? member) === undefined,
        ),
    );
    expect(rows.map(([, operation, needs = ""]) => [operation, needs.replaceAll("`", "")])).toEqual(
      callable.map((operation) => [
        `${operation.method} ${operation.path}`,
        typeof operation.access === "string" ? badges[operation.access] : formatScopes(operation),
      ]),
    );
  });

  test.each(["docs/api.md", "docs/events.md"])("%s says how many events a page can have", (page) => {
    const { maximum, default: usual } = eventLimits.pageSize;
    expect(read(page)).toContain(`\`limit\` is 1 to ${maximum}, default ${usual}`);
  });

  test("ARCHITECTURE.md has a row for each folder of src, and for each folder in these", () => {
    const rows = [...read("ARCHITECTURE.md").matchAll(/^\| `(src\/[^|]+)` \| /gm)];
    // The first folder of a row is a path from the root; the others are beside the first.
    const described = rows.flatMap(([, names = ""]) => {
      const [first = "", ...others] = names.split("`, `");
      return [first, ...others.map((name) => join(dirname(first), name))];
    });
    const folders = ["*", "*/*"].flatMap((pattern) => [
      ...new Glob(`src/${pattern}`).scanSync({ cwd: root, onlyFiles: false }),
    ]);
    const isFolder = (path: string) => statSync(join(root, path)).isDirectory();
    expect(folders.filter((path) => isFolder(path) && !described.includes(path))).toEqual([]);
    expect(described.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(new Set(described).size).toBe(described.length);
  });

  test("docs/decisions/README.md lists every decision by its title, and says which number is free", () => {
    const files = [...new Glob("0*.md").scanSync(join(root, "docs/decisions"))].sort();
    const rows = [...read("docs/decisions/README.md").matchAll(/^\| (\d+) \| (.+) \|$/gm)];
    const expected = files.map((file) => {
      const [, number = "", title = ""] = /^# (\d+)\. (.+)\n/.exec(read(`docs/decisions/${file}`)) ?? [];
      expect(file).toStartWith(number.padStart(4, "0"));
      return [number, `[${title}](${file})`];
    });
    expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
    expect(rows.map(([, ...row]) => row).filter(([, text = ""]) => text.startsWith("["))).toEqual(expected);
  });

  test("the README is at most 150 lines and shows how to start and how to test", () => {
    const readme = read("README.md");
    expect(readme.split("\n").length).toBeLessThanOrEqual(150);
    expect(readme).toContain("npm ci && npm start");
    expect(readme).toContain("npm ci && npm test");
  });

  test("CI installs the packages and runs the check, which includes the tests", () => {
    expect(read(".ci/run")).toContain("\nnpm ci\nnpm run check\n");
    expect(packageJson.scripts.check).toEndWith(" && npm run test:all");
  });

  const pages = ["*.md", "docs/*.md", "docs/decisions/*.md"].flatMap((pattern) => [
    ...new Glob(pattern).scanSync(root),
  ]);
  test.each(pages)("%s has no broken links to files and headings", (page) => {
    const links = read(page).matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]+))?\)/g);
    for (const [link, target = "", heading] of links) {
      const path = target === "" ? page : join(dirname(page), target);
      expect({ link, exists: existsSync(join(root, path)) }).toEqual({ link, exists: true });
      if (heading !== undefined) expect(headingIds(path)).toContain(heading);
    }
  });

  test.each(pages)("%s names only files that exist", (page) => {
    for (const [, path = ""] of read(page).matchAll(/`((?:test|scripts|src|docs|bench)\/[\w./-]+\.\w+)`/g)) {
      expect({ path, exists: existsSync(join(root, path)) }).toEqual({ path, exists: true });
    }
    // Pages for maintainers leave out src.
    for (const [, path = "", folder = ""] of read(page).matchAll(/`((\w+)\/[\w./-]+\.tsx?)`/g)) {
      if (!existsSync(join(root, "src", folder))) continue;
      expect({ path, exists: existsSync(join(root, "src", path)) }).toEqual({ path, exists: true });
    }
  });

  test.each(pages)(
    "%s ends each curl command that prints JSON with -w '\\n', because JSON ends without a line break",
    (page) => {
      const commands = [...read(page).matchAll(/^```sh\n(.*?)^```/gms)]
        .flatMap(([, block = ""]) =>
          block.matchAll(/^(?:.*\|\n)? *curl (?:'[^']*'|"[^"]*"|\\\n|[^'"\n#])*/gm).toArray(),
        )
        .map(([command]) => command.trimEnd());
      // Imports and streams return lines.
      const printing = commands.filter((command) => !/ > |\/import\b|^curl -N /.test(command));
      expect(printing.filter((command) => !command.endsWith(" -w '\\n'"))).toEqual([]);
    },
  );

  test("the example of nginx accepts imports of any size", () => {
    expect(read("docs/examples/nginx.conf")).toMatch(/^\s*client_max_body_size 0;/m);
  });

  test("docs/api.md names every problem", () => {
    const page = read("docs/api.md");
    for (const type of Object.keys(problems)) expect(page).toContain(`\`${type}\``);
  });
});

/** The ids that GitHub gives to the headings of a page. */
function headingIds(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
