import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { listSettings } from "../../src/config/settings.ts";
import { root } from "../support/paths.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const dockerfile = read("Dockerfile");
const settingNames = new Set(listSettings().map(([, { env }]) => env));

/** Every object under this key, at any depth. */
function findObjects(value: unknown, key: string): object[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key && typeof inner === "object" && inner !== null ? [inner] : []),
    ...findObjects(inner, key),
  ]);
}

describe("the Dockerfile", () => {
  const ignored = read(".dockerignore").split("\n");

  test("copies files that exist and that .dockerignore lets through", () => {
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = ""]) =>
      paths.split(" "),
    );
    expect(sources).toContain("src");
    expect(ignored).toContain("*");
    for (const path of sources) {
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
      expect(ignored).toContain(`!${path}`);
    }
  });

  test("runs the service as an account other than root, with a health check", () => {
    expect(dockerfile).toMatch(/^USER (?!0|root)\d+:\d+$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/local\/bin\/roster", "health", "--live"\]$/m);
    expect(dockerfile).toContain("\nVOLUME /data\n");
  });
});

const composeFiles = ["compose.yaml", "compose.postgres.yaml"];
describe.each(composeFiles)("%s", (file) => {
  const text = read(file);
  const compose = YAML.parse(text);

  test("sets only variables that Roster, PostgreSQL or its image reads", () => {
    const names = findObjects(compose, "environment").flatMap(Object.keys);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names.filter((each) => !/^(POSTGRES_|PG)/.test(each)))
      expect([...settingNames]).toContain(name);
  });

  test("gives every Roster container a read-only root and no capabilities", () => {
    const services = findObjects(compose, "services").flatMap((group) => Object.values(group));
    const nodes = services.filter((service) => service.image === "roster");
    expect(nodes.length).toBeGreaterThan(0);
    for (const node of nodes)
      expect(node).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
  });

  test("replaces addresses that the example of nginx has", () => {
    for (const [, address = ""] of text.matchAll(/s\/([^/]+)\/node\d:3000\//g))
      expect(read("docs/examples/nginx.conf")).toContain(`server ${address} `);
  });
});
