/**
 * Checks deploy/systemd/roster.service. `systemd-analyze` rates the unit. Then dist/roster runs with the unit's view of /proc,
 * without capabilities and under another account, and strace lists its system calls: the unit must allow each of them. Run
 * `npm run build:executable && npx bun scripts/try-systemd.ts` as root, with systemd and strace.
 */
import { chownSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, Program } from "./trial/program.ts";

const MAX_EXPOSURE = 2;
const NOBODY = 65534;
/** How long the traced service runs. strace makes it slow. */
const RUN_SECONDS = 8;
const JSON_BODY = { "content-type": "application/json" };
const root = join(import.meta.dir, "..");
const unit = join(root, "deploy/systemd/roster.service");
const executable = process.env.ROSTER ?? join(root, "dist/roster");

if (Bun.which("systemd-analyze") === null) console.log("Skipped: systemd is not installed.");
else {
  rateUnit();
  if (process.getuid?.() !== 0 || Bun.which("strace") === null)
    console.log("Skipped the system calls: they need root and strace.");
  else await checkSystemCalls();
}

function rateUnit(): void {
  const report = run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit]);
  const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(report)?.[1]);
  console.log(`The exposure level of the unit is ${exposure}.`);
  if (!(exposure < MAX_EXPOSURE)) throw new Error(`The exposure level must be below ${MAX_EXPOSURE}.`);
}

async function checkSystemCalls(): Promise<void> {
  const program = new Program();
  const port = await freePort();
  const state = join(program.folder, "state");
  mkdirSync(state);
  chownSync(state, NOBODY, NOBODY);
  program.makeFolderReadable();
  const calls = join(state, "calls");
  const account = `setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs --bounding-set=-all`;
  const service = `timeout ${RUN_SECONDS} ${executable} serve --port=${port} --database=${state}/roster.db`;
  const script = `mount -t proc -o subset=pid,hidepid=invisible proc /proc &&
    ${account} strace -f -qq -o ${calls} ${service}`;
  try {
    await program.start(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script], port);
    await useService(`http://127.0.0.1:${port}`);
    while (!program.log().includes('"stopped"')) await Bun.sleep(100);
    reportCalls(readFileSync(calls, "utf8"));
  } finally {
    await program.end();
  }
}

/** Creates, lists and exports users, before `timeout` stops the service. */
async function useService(url: string): Promise<void> {
  for (let i = 0; i < 20; i++) {
    const user = { name: `User ${i}`, department: "engines" };
    await call(`${url}/api/users`, { method: "POST", body: JSON.stringify(user), headers: JSON_BODY });
  }
  await call(`${url}/api/users?q=user&sort=-department&count=true`);
  await call(`${url}/api/users/export`);
  await call(`${url}/`);
  await call(`${url}/metrics`);
}

async function call(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.bytes();
}

function reportCalls(log: string): void {
  const used = new Set([...log.matchAll(/^\d+ +(\w+)\(/gm)].map(([, name = ""]) => name));
  const allowed = allowedCalls();
  const denied = [...used].filter((name) => !allowed.has(name));
  console.log(
    `The service uses ${used.size} system calls. The unit denies: ${denied.join(", ") || "none of them"}.`,
  );
  if (denied.length > 0) process.exitCode = 1;
}

/** The system calls that the lines `SystemCallFilter` of the unit allow together. */
function allowedCalls(): Set<string> {
  const allowed = new Set<string>();
  for (const [, inverted, names = ""] of readFileSync(unit, "utf8").matchAll(
    /^SystemCallFilter=(~?)(.*)$/gm,
  )) {
    for (const name of names.split(" ").flatMap(expandSet)) {
      if (inverted) allowed.delete(name);
      else allowed.add(name);
    }
  }
  return allowed;
}

/** The system calls in a set of systemd, such as `@file-system`. Sets contain other sets. */
function expandSet(name: string): string[] {
  if (!name.startsWith("@")) return [name];
  const lines = run(["systemd-analyze", "syscall-filter", name]).trim().split("\n").slice(1);
  return lines
    .map((line) => line.trim())
    .filter((line) => !line.startsWith("#"))
    .flatMap(expandSet);
}

function run(command: string[]): string {
  const { stdout, stderr, success } = Bun.spawnSync(command);
  if (!success) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout.toString();
}
