import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cliPage, cliPagePath } from "../../scripts/cli-page.ts";
import { configurationPage, configurationPagePath } from "../../scripts/configuration-page.ts";
import { problems } from "../../src/contract/problems.ts";
import { root } from "../support/paths.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("the project's pages", () => {
  test("docs/configuration.md is what the settings say (npm run docs writes it)", () => {
    expect(readFileSync(configurationPagePath, "utf8")).toBe(configurationPage());
  });

  test("docs/cli.md is what the commands say of themselves (npm run docs writes it)", async () => {
    expect(readFileSync(cliPagePath, "utf8")).toBe(await cliPage());
  });

  test("the README is at most 150 lines and shows how to start and how to test", () => {
    const readme = read("README.md");
    expect(readme.split("\n").length).toBeLessThanOrEqual(150);
    expect(readme).toContain("npm ci && npm start");
    expect(readme).toContain("npm ci && npm test");
    expect(read(".ci/run")).toContain("npm ci && npm test");
  });

  test("every link between pages leads to a file", () => {
    const pages = [
      "README.md",
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
      "SECURITY.md",
      "docs/api.md",
      "docs/cli.md",
      "docs/client.md",
      "docs/configuration.md",
      "docs/operations.md",
      "docs/security.md",
    ];
    for (const page of pages) {
      for (const [, target = ""] of read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)) {
        const path = join(root, page, "..", target);
        expect({ page, target, exists: Bun.file(path).size > 0 || target.endsWith("/") }).toEqual({
          page,
          target,
          exists: true,
        });
      }
    }
  });

  test("docs/api.md names every problem", () => {
    const page = read("docs/api.md");
    for (const type of Object.keys(problems)) expect(page).toContain(`\`${type}\``);
  });
});
