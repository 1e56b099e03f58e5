import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { $ } from "bun";
import packageJson from "../../package.json" with { type: "json" };
import { callAt } from "../support/call.ts";
import { copySource } from "../support/copy-source.ts";
import { bearer } from "../support/credentials.ts";
import { root } from "../support/paths.ts";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();

/** The package and the executable, each in its folder. The copy of the source that they were built from is removed before the tests. */
const folder = mkdtempSync(join(tmpdir(), "roster-package-"));
const prefix = join(folder, "prefix");
const packed = join(prefix, "lib", "node_modules", "rosterd");
const alone = join(folder, "alone");
const path = join(folder, "path");
const running = new Set<Bun.Subprocess>();
let tarball: string;
/** What the builds printed. */
let printed: string;

const artefacts = [
  // The PATH has only Node.
  { title: "the installed command", command: join(prefix, "bin", "roster"), env: { PATH: path } },
  { title: "the executable", command: join(alone, "roster"), env: { PATH: "" } },
] as const;
type Artefact = Pick<(typeof artefacts)[number], "env"> & { readonly command: string };
const [installed] = artefacts;

beforeAll(async () => {
  const source = join(folder, "source");
  copySource(source);
  const install = async () => {
    const packing = await $`npm pack --pack-destination ${folder}`.cwd(source).quiet();
    [tarball = ""] = globSync(join(folder, "*.tgz"));
    // npm will stop running install scripts by default: the first tests run without the install script of Bun.
    await $`npm install --global --ignore-scripts --prefer-offline --prefix ${prefix} ${tarball}`
      .cwd(folder)
      .quiet();
    return packing;
  };
  const outputs = await Promise.all([install(), $`npm run build:executable`.cwd(source).quiet()]);
  printed = outputs.map(({ stdout, stderr }) => `${stdout}${stderr}`).join("");
  mkdirSync(alone);
  renameSync(join(source, "dist", "roster"), join(alone, "roster"));
  rmSync(source, { recursive: true });
  mkdirSync(path);
  symlinkSync(Bun.which("node") ?? "", join(path, "node"));
}, 240_000);

afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ exited }) => exited));
  rmSync(folder, { recursive: true });
}, 120_000);

/** A new folder, used as the working directory and as HOME. */
function emptyFolder(): string {
  return mkdtempSync(join(folder, "empty-"));
}

function spawn({ command, env }: Artefact, args: readonly string[], cwd: string) {
  const child = Bun.spawn([command, ...args], {
    cwd,
    env: { ...env, HOME: cwd },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  running.add(child);
  child.exited.then(() => running.delete(child));
  return child;
}

async function run(artefact: Artefact, args: readonly string[], cwd = emptyFolder()) {
  const child = spawn(artefact, args, cwd);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** Starts the service. `end` sends a signal, and returns the exit code and the signal that ended the process. */
async function serve(artefact: Artefact, database: string) {
  const child = spawn(artefact, ["serve", "--port=0", `--database=${database}`], emptyFolder());
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  while (!output.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The service exited: ${output}${await new Response(child.stderr).text()}`);
    output += value;
  }
  const { users } = JSON.parse(output.slice(0, output.indexOf("\n")));
  // Read on: the service would block on a full pipe.
  (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    call: callAt(new URL(users).origin),
    async end(signal: NodeJS.Signals) {
      child.kill(signal);
      await child.exited;
      return { code: child.exitCode, signal: child.signalCode };
    },
  };
}

const done = { code: 0, signal: null };

for (const artefact of artefacts) {
  describe(artefact.title, () => {
    test("prints its version", async () => {
      expect(await run(artefact, ["--version"])).toEqual({
        code: 0,
        stdout: `${packageJson.version}\n`,
        stderr: "",
      });
    });

    test("exits with the code of the command", async () => {
      expect((await run(artefact, ["sevre"])).code).toBe(2);
    });

    test("serves users, with a writer thread and a reader thread", async () => {
      const service = await serve(artefact, join(emptyFolder(), "roster.db"));
      const created = await service.call("/api/users", {
        method: "POST",
        json: { name: "Ada", department: "engines" },
      });
      expect(created.status).toBe(201);
      expect(await (await service.call("/api/users/1")).json()).toEqual(await created.json());
      // Searches and long pages run on a reader thread.
      for (const query of ["q=ada&department=engines&count=true", "limit=1000"]) {
        const list = await service.call(`/api/users?${query}`);
        expect([list.status, (await list.json()).length]).toEqual([200, 1]);
      }
      expect(await service.end("SIGTERM")).toEqual(done);
    });

    test("serves the reference and the console with their styles, scripts and icons", async () => {
      const service = await serve(artefact, join(emptyFolder(), "roster.db"));
      for (const address of ["/docs", "/"]) {
        const page = await (await service.call(address)).text();
        const files = [...page.matchAll(/<(?:link|script)\b[^>]*? (?:href|src)="(\/[^"]+)"/g)].map(
          ([, path = ""]) => path,
        );
        const types = new Map<string | undefined, string | undefined>();
        for (const file of new Set(files)) {
          const response = await service.call(file);
          expect([file, response.status]).toEqual([file, 200]);
          expect((await response.text()).length).toBeGreaterThan(100);
          types.set(file.split(".").pop(), response.headers.get("content-type")?.split(";")[0]);
        }
        expect(Object.fromEntries(types)).toMatchObject({
          css: "text/css",
          js: "text/javascript",
          svg: "image/svg+xml",
        });
      }
      expect((await service.call("/problems/user-not-found")).status).toBe(200);
      expect(await service.end("SIGINT")).toEqual(done);
    });

    test("creates a key, and requires it", async () => {
      const database = join(emptyFolder(), "roster.db");
      const args = ["keys", "create", "--name=ci", "--scope=all", `--database=${database}`];
      const { code, stdout } = await run(artefact, args);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^roster_\w+\n$/)]);
      const service = await serve(artefact, database);
      expect((await service.call("/api/users")).status).toBe(401);
      expect((await service.call("/api/users", { headers: bearer(stdout.trim()) })).status).toBe(200);
      expect(await service.end("SIGTERM")).toEqual(done);
    });

    test("moves all data to PostgreSQL, and serves it from there", async () => {
      const from = join(emptyFolder(), "roster.db");
      const before = await serve(artefact, from);
      await before.call("/api/users", { method: "POST", json: { name: "Ada", department: "engines" } });
      expect(await before.end("SIGTERM")).toEqual(done);
      const to = await freshDatabase();
      expect(await run(artefact, ["migrate", `--database=${to.url}`])).toMatchObject({ code: 0, stderr: "" });
      expect(await run(artefact, ["move", `--from=${from}`, `--to=${to.url}`])).toMatchObject({ code: 0 });
      const after = await serve(artefact, to.url);
      expect((await after.call("/api/users", { method: "POST", json: { name: "Bob" } })).status).toBe(201);
      const list = await after.call("/api/users?q=ada&count=true");
      expect(await list.json()).toMatchObject([{ id: 1, name: "Ada", department: "engines" }]);
      expect(await after.end("SIGTERM")).toEqual(done);
      await to.drop();
    });

    test("reads no settings and no code from the working directory", async () => {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, ".env"), "DATABASE_URL=./other.db\n");
      writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
      writeFileSync(join(cwd, "preload.ts"), 'throw new Error("Foreign code.");\n');
      expect(await run(artefact, ["migrate"], cwd)).toMatchObject({ code: 0, stderr: "" });
      expect(existsSync(join(cwd, "data", "roster.db"))).toBe(true);
    });

    test("offers users to an AI assistant, if the SDK is there", async () => {
      const ran = await run(artefact, ["mcp", "--url=http://127.0.0.1:1"]);
      expect(ran).toMatchObject({ code: artefact === installed ? 2 : 6, stdout: "" });
      // The executable contains the SDK, and cannot reach the service.
      expect(ran.stderr).toContain(
        artefact === installed ? "npm install --global @modelcontextprotocol/sdk" : "Cannot reach",
      );
    });

    test("detects a terminal, and exits with 0 on Ctrl+C", async () => {
      const cwd = emptyFolder();
      let screen = "";
      const { promise: ready, resolve: isReady } = Promise.withResolvers<string>();
      const child = Bun.spawn([artefact.command, "--port=0"], {
        cwd,
        env: { ...artefact.env, HOME: cwd },
        terminal: {
          data(_, bytes) {
            screen += Buffer.from(bytes).toString();
            const docs = /docs +(\S+)[\s\S]+Ctrl\+C/.exec(screen)?.[1];
            if (docs !== undefined) isReady(docs);
          },
        },
      });
      running.add(child);
      expect((await fetch(await ready)).status).toBe(200);
      child.terminal?.write("\x03");
      expect(await child.exited).toBe(0);
      running.delete(child);
      child.terminal?.close();
      expect(screen.match(/stopped/g)).toHaveLength(1);
    });
  });
}

describe("the package", () => {
  test("finds the SDK that docs/mcp.md installs beside it", async () => {
    const beside = join(prefix, "lib", "node_modules", "@modelcontextprotocol");
    symlinkSync(join(root, "node_modules", "@modelcontextprotocol"), beside);
    expect((await run(installed, ["mcp", "--url=http://127.0.0.1:1"])).stderr).toContain("Cannot reach");
    rmSync(beside);
  });

  test("contains the launcher, the bundle and the documents", () => {
    const files = globSync("**/*", {
      cwd: packed,
      exclude: ["node_modules/**", "docs/**"],
    });
    // Other modules of the bundle have a content hash in their names.
    const named = files.filter((file) => !/^dist\/server\/[a-z0-9-]+-[a-z0-9]{8}\.js(\.map)?$/.test(file));
    expect(named.filter((file) => statSync(join(packed, file)).isFile()).sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bin/bunfig.toml",
      "bin/roster.js",
      "dist/server/check-thread.js",
      "dist/server/check-thread.js.map",
      "dist/server/copy-thread.js",
      "dist/server/copy-thread.js.map",
      "dist/server/main.js",
      "dist/server/main.js.map",
      "dist/server/reader-thread.js",
      "dist/server/reader-thread.js.map",
      "dist/server/writer-thread.js",
      "dist/server/writer-thread.js.map",
      "package.json",
    ]);
  });

  test("is named rosterd, and installs the commands roster and rosterd", async () => {
    expect(basename(tarball)).toBe(`rosterd-${packageJson.version}.tgz`);
    const rosterd = { ...installed, command: join(prefix, "bin", "rosterd") } as const;
    const expected = { code: 0, stdout: `${packageJson.version}\n`, stderr: "" };
    expect(await run(installed, ["--version"])).toEqual(expected);
    expect(await run(rosterd, ["--version"])).toEqual(expected);
  });

  test("is built with a message that says its size, like the executable", () => {
    expect(printed).toMatch(/^dist\/server is ready: [1-9]\d*\.\d MB\.$/m);
    expect(printed).toMatch(/^dist\/roster is ready: [1-9]\d+\.\d MB\.$/m);
  });

  test("is smaller than 1,300 KB", () => {
    expect(statSync(tarball).size).toBeLessThan(1_300_000);
  });
});

describe("the launcher", () => {
  test("stops the service when the launcher is killed", async () => {
    const service = await serve(installed, join(emptyFolder(), "roster.db"));
    expect(await service.end("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" });
    const responds = () => service.call("/healthz").then(Boolean, () => false);
    await until(async () => !(await responds()));
  });

  test("finds Bun where the install script of Bun puts it", async () => {
    const bun = join(packed, "node_modules", "bun");
    expect(statSync(join(bun, "bin", "bun.exe")).size).toBeLessThan(10_000);
    await $`node install.js`.cwd(bun).quiet();
    expect(statSync(join(bun, "bin", "bun.exe")).size).toBeGreaterThan(1_000_000);
    expect(globSync(join(packed, "node_modules", "@oven", "*", "bin", "bun"))).toEqual([]);
    expect(await run(installed, ["--version"])).toMatchObject({
      code: 0,
      stdout: `${packageJson.version}\n`,
    });
  });

  test("finds Bun beside the package, where npm puts shared dependencies", async () => {
    const modules = join(emptyFolder(), "node_modules");
    mkdirSync(join(modules, "rosterd", "bin"), { recursive: true });
    cpSync(join(packed, "bin"), join(modules, "rosterd", "bin"), { recursive: true });
    cpSync(join(packed, "dist"), join(modules, "rosterd", "dist"), { recursive: true });
    copyFileSync(join(packed, "package.json"), join(modules, "rosterd", "package.json"));
    symlinkSync(join(packed, "node_modules", "bun"), join(modules, "bun"));
    const command = join(modules, "rosterd", "bin", "roster.js");
    chmodSync(command, 0o755);
    const child = Bun.spawn([command, "--version"], { env: installed.env, stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toBe(`${packageJson.version}\n`);
  });

  test("says that Bun is missing", async () => {
    const bun = join(packed, "node_modules", "bun");
    renameSync(bun, `${bun}-gone`);
    const { code, stdout, stderr } = await run(installed, ["--version"]);
    renameSync(`${bun}-gone`, bun);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      "Cannot start Bun. The package bun is missing. Install Roster again with its optional dependencies.\n",
    );
  });
});
