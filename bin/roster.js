#!/usr/bin/env node
// The commands `roster` and `rosterd` that npm installs: run Roster with the Bun of the package, so Bun need not be on the PATH.
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
// In a repository, run the source: the bundle may be missing or outdated. The package has only the bundle.
const program = existsSync(source) ? [source] : [`--config=${join(root, "bin", "bunfig.toml")}`, bundle];
const args = [...program, ...process.argv.slice(2)];

// npx runs commands in a shell, and many shells do not pass on the SIGTERM that npx sends them.
const runByNpx = process.env.npm_lifecycle_event === "npx" && !windows;

// From Node 22.15 on, replace this process by Bun.
if (process.execve && !windows && !runByNpx) process.execve(bun, [bun, ...args]);
else run();

/**
 * Bun's executable is in a package per platform. Bun's install script moves it into the package `bun`; if npm did not run the
 * script, that package has only a placeholder.
 */
function findBun() {
  const require = createRequire(import.meta.url);
  const manifest = resolve(require, "bun/package.json");
  if (manifest === undefined) fail("The package bun is missing.");
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  const android = process.platform === "android";
  const system = { win32: "windows", android: "linux" }[process.platform] ?? process.platform;
  const machine = process.arch === "arm64" ? "aarch64" : process.arch;
  const candidates = Object.keys(optionalDependencies)
    .filter((name) => name.startsWith(`@oven/bun-${system}-${machine}`))
    .filter((name) => name.endsWith("-android") === android);
  const found = candidates
    .map((name) => ({ name, path: resolve(createRequire(manifest), `${name}/package.json`) }))
    .flatMap(({ name, path }) => (path === undefined ? [] : { name, folder: join(dirname(path), "bin") }))
    .map(({ name, folder }) => ({ name, path: join(folder, windows ? "bun.exe" : "bun") }))
    .filter(({ path }) => existsSync(path));
  // If npm cannot detect the C library, it installs the packages for both.
  const match = found.length > 1 ? found.find(({ name }) => name.endsWith("-musl") === isMusl()) : found[0];
  if (match) return match.path;
  const moved = join(dirname(manifest), "bin", "bun.exe");
  if (existsSync(moved) && statSync(moved).size > 1_000_000) return moved;
  return fail(
    candidates.length === 0
      ? `There is no Bun for ${process.platform} on ${process.arch}.`
      : `The package ${candidates.join(" or ")} is missing.`,
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

/** Runs Bun as a child process, and ends with its exit code or signal. */
function run() {
  // --no-orphans ends the service if this process is killed: otherwise it would keep its port.
  const service = spawn(bun, ["--no-orphans", ...args], { stdio: "inherit" });
  service.on("error", (error) => fail(error.message));
  service.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Not every signal ends Node.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    // Terminals and systemd signal both processes, so wait before forwarding. On Windows only terminals send signals, and
    // `kill` would end the service without a clean shutdown.
    process.on(signal, () => windows || setTimeout(() => service.kill(signal), 100));
  }
  if (runByNpx) onParentExit(() => service.kill("SIGTERM"));
}

/** Calls back when this process has a new parent: its own has exited. */
function onParentExit(callback) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, 200);
}

function fail(reason) {
  process.stderr.write(`Cannot start Bun. ${reason} Install Roster again with its optional dependencies.\n`);
  process.exit(1);
}
