#!/usr/bin/env node
// What npm links as `roster`: runs the service with the Bun that was installed with it, so that nobody needs Bun on the PATH.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "src", "cli", "main.ts");
const bundle = join(root, "dist", "server", "main.js");
const windows = process.platform === "win32";

const bun = findBun();
// A repository may have an old bundle, or none; the package has nothing else.
const program = existsSync(source) ? [source] : [`--config=${join(root, "bin", "bunfig.toml")}`, bundle];
const args = [...program, ...process.argv.slice(2)];

// Node has it from 22.15 on. What is left then is the service alone, as if it had been started itself.
if (process.execve && !windows) process.execve(bun, [bun, ...args]);
else run();

/**
 * The program itself is in a package of its own, one for each platform. Bun's install script moves it into `bun`; npm may not
 * have run that, and then there is only a text in its place.
 */
function findBun() {
  const require = createRequire(import.meta.url);
  const manifest = resolve(require, "bun/package.json");
  if (manifest === undefined) fail("Its package bun is missing.");
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  const android = process.platform === "android";
  const system = { win32: "windows", android: "linux" }[process.platform] ?? process.platform;
  const machine = process.arch === "arm64" ? "aarch64" : process.arch;
  const fitting = Object.keys(optionalDependencies)
    .filter((name) => name.startsWith(`@oven/bun-${system}-${machine}`))
    .filter((name) => name.endsWith("-android") === android);
  const found = fitting
    .map((name) => ({ name, path: resolve(createRequire(manifest), `${name}/package.json`) }))
    .flatMap(({ name, path }) => (path === undefined ? [] : { name, folder: join(dirname(path), "bin") }))
    .map(({ name, folder }) => ({ name, path: join(folder, windows ? "bun.exe" : "bun") }))
    .filter(({ path }) => existsSync(path));
  // An npm that does not know which C library there is installs those for both.
  const own = found.length > 1 ? found.find(({ name }) => name.endsWith("-musl") === isMusl()) : found[0];
  if (own) return own.path;
  const moved = join(dirname(manifest), "bin", "bun.exe");
  if (existsSync(moved) && statSync(moved).size > 1_000_000) return moved;
  return fail(
    fitting.length === 0
      ? `There is no Bun for ${process.platform} on ${process.arch}.`
      : `Its package ${fitting.join(" or ")} is missing.`,
  );
}

function resolve(require, name) {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

function isMusl() {
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** As a child with the same terminal, files and environment; ends as the service does. */
function run() {
  // A service whose launcher was killed would hold its port, and nobody would know it: it ends as if it had been killed itself.
  const service = spawn(bun, ["--no-orphans", ...args], { stdio: "inherit" });
  service.on("error", (error) => fail(error.message));
  service.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Some signals do not end Node.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    // Terminals and systemd send it to both: a service that has ended by then need not be told again. On Windows only
    // terminals do, and `kill` would end it without a word.
    process.on(signal, () => windows || setTimeout(() => service.kill(signal), 100));
  }
}

function fail(why) {
  process.stderr.write(
    `Roster cannot start Bun. ${why} Install Roster again, with its optional dependencies.\n`,
  );
  process.exit(1);
}
