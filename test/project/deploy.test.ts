import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import packageJson from "../../package.json" with { type: "json" };
import { parseDatabase } from "../../src/config/database-url.ts";
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

describe("deploy/kubernetes", () => {
  const folder = "deploy/kubernetes";
  const deployment = YAML.parse(read(`${folder}/base/deployment.yaml`));
  const variables = [deployment, YAML.parse(read(`${folder}/base/migrate-job.yaml`))]
    .flatMap((resource) => findObjects(resource, "env"))
    .flatMap((list) => Object.values(list));

  test("sets only variables that Roster reads, from keys that the example of the secret has or that are optional", () => {
    expect(variables.length).toBeGreaterThan(5);
    const secret = read(`${folder}/example/roster.env`);
    for (const { name, valueFrom } of variables) {
      expect([...settingNames]).toContain(name);
      const reference = valueFrom?.secretKeyRef;
      if (reference && !reference.optional) expect(secret).toContain(`\n${reference.key}=`);
    }
  });

  test("gives pods more time to stop than the service needs", () => {
    const seconds = (name: string) => Number(variables.find((variable) => variable.name === name)?.value);
    const grace = read(`${folder}/base/deployment.yaml`).match(/terminationGracePeriodSeconds: (\d+)/)?.[1];
    expect(Number(grace)).toBeGreaterThan(
      seconds("ROSTER_SHUTDOWN_DELAY") + seconds("ROSTER_SHUTDOWN_GRACE"),
    );
  });

  test("selects the pods of the Deployment, and not those of the job, everywhere", () => {
    const labels = { "app.kubernetes.io/name": "roster", "app.kubernetes.io/component": "node" };
    const selectors = [
      "base/disruption-budget.yaml",
      "base/deployment.yaml",
      "monitoring/service-monitor.yaml",
    ]
      .map((path) => YAML.parse(read(`${folder}/${path}`)))
      .flatMap((resource) => findObjects(resource, "matchLabels"));
    selectors.push(...findObjects(YAML.parse(read(`${folder}/base/service.yaml`)), "selector"));
    expect(selectors.length).toBe(5);
    for (const selector of selectors) expect(selector).toEqual(labels);
  });
});

describe("the GitHub workflows", () => {
  test("check Node.js 20, 22 and 24, and arm64", () => {
    const check = YAML.parse(read(".github/workflows/check.yaml"));
    expect(findObjects(check, "node")).toEqual([[20, 22, 24]]);
    expect(read(".github/workflows/check.yaml")).toContain("runner: ubuntu-24.04-arm");
  });

  test("run only scripts of package.json", () => {
    for (const name of ["check", "codeql", "release"])
      for (const [, script = ""] of read(`.github/workflows/${name}.yaml`).matchAll(/npm run ([\w:]+)/g))
        expect(Object.keys(packageJson.scripts)).toContain(script);
  });

  test("have no more permissions than they need", () => {
    for (const name of ["check", "codeql", "release"])
      expect(YAML.parse(read(`.github/workflows/${name}.yaml`))).toMatchObject({
        permissions: { contents: "read" },
      });
  });
});

describe("deploy/patroni", () => {
  const folder = "deploy/patroni";
  const patroni = read(`${folder}/patroni.yml`);
  const urls = [...read(`${folder}/roster.env`).matchAll(/DATABASE_URL=(\S+)/g)].map(([, url = ""]) => url);

  test("loses no acknowledged write, and gives Patroni enough time to keep its primary", () => {
    const settingOf = (name: string) => new RegExp(`^ +${name}: (.*)`, "m").exec(patroni)?.[1];
    expect(settingOf("synchronous_mode")).toBe("true");
    const [ttl = 0, wait = 0, retry = 0] = ["ttl", "loop_wait", "retry_timeout"].map((name) =>
      Number(settingOf(name)),
    );
    expect(ttl).toBeGreaterThanOrEqual(wait + 2 * retry);
  });

  test("has two URLs that Roster understands, and that lead to a server that accepts writes", () => {
    const databases = urls.map(parseDatabase);
    expect(databases).toMatchObject([
      { urls: { length: 3 }, readWrite: true },
      { urls: { length: 1 }, readWrite: true },
    ]);
  });

  test("names the same three servers, and the same three machines with etcd, in every file", () => {
    const namesIn = (text: string | undefined, name: string) => [
      ...new Set(String(text).match(new RegExp(`\\b${name}\\d`, "g"))),
    ];
    const servers = [[...read(`${folder}/haproxy.cfg`).matchAll(/^ +server (.*)/gm)].join(), urls[0]];
    for (const text of servers) expect(namesIn(text, "db")).toEqual(["db1", "db2", "db3"]);
    const machines = [
      /^ +hosts: (.*)/m.exec(patroni)?.[1],
      /ETCD_INITIAL_CLUSTER=(.*)/.exec(read(`${folder}/etcd.env`))?.[1],
    ];
    for (const text of machines) expect(namesIn(text, "etcd")).toEqual(["etcd1", "etcd2", "etcd3"]);
  });

  test("closes connections to a former primary in HAProxy, and lets the poolers ask HAProxy", () => {
    const haproxy = read(`${folder}/haproxy.cfg`);
    expect(haproxy).toContain("on-marked-down shutdown-sessions");
    const port = /bind 127.0.0.1:(\d+)/.exec(haproxy)?.[1];
    expect(urls[1]).toContain(`127.0.0.1:${port}/`);
    expect(read(`${folder}/pgbouncer.ini`)).toContain(`port=${port}`);
    expect(read(`${folder}/pgpool.conf`)).toContain(`backend_port0 = ${port}`);
    expect(read(`${folder}/pgpool.conf`)).toContain("load_balance_mode = off");
  });
});
