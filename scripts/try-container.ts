/**
 * Tests the Dockerfile without Docker, as root on Linux: builds the executable from exactly the files that the Dockerfile copies,
 * and runs the image's last stage in a chroot that has only the C library. The root file system is read-only, the account is the
 * image's. Run `npx bun scripts/try-container.ts`.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "./trial/program.ts";

const project = join(import.meta.dir, "..");
/** The libraries of Debian's libc6, which the base image has. */
const LIBC =
  /\/(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux-x86-64\.so\.2|ld-linux-aarch64\.so\.1)$/;

const [build = "", image = ""] = readFileSync(join(project, "Dockerfile"), "utf8")
  .replaceAll(/\\\n/g, " ")
  .split(/^FROM .*$/m)
  .slice(1);
const [uid = 0, gid = 0] = (/^USER (\S+)/m.exec(image)?.[1] ?? "").split(":").map(Number);
const variables = Object.fromEntries(
  [...(/^ENV (.*)$/m.exec(image)?.[1] ?? "").matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name,
    value,
  ]),
);
const entrypoint = readCommand("ENTRYPOINT");
const folder = mkdtempSync(join(tmpdir(), "roster-container-"));
const root = join(folder, "root");
const data = join(folder, "data");

if (process.getuid?.() !== 0) console.log("Skipped: the test needs root.");
else {
  try {
    const executable = buildImage();
    createRoot(executable);
    await tryImage(await freePort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the executable in a folder that has only what the Dockerfile copies. Uses the packages that are installed here. */
function buildImage(): string {
  const source = join(folder, "src");
  mkdirSync(source);
  for (const [, paths = ""] of build.matchAll(/^COPY (.*)$/gm)) {
    const [target = "", ...sources] = paths.split(" ").reverse();
    for (const path of sources) {
      const isInto = target.endsWith("/");
      cpSync(join(project, path), join(source, target, isInto ? (path.split("/").at(-1) ?? "") : ""), {
        recursive: true,
      });
    }
  }
  run(["cp", "-al", join(project, "node_modules"), source]);
  run(["npm", "run", "build:executable"], source);
  return join(source, "dist/roster");
}

/** The root file system: the executable, the C library, and empty folders to mount on. */
function createRoot(executable: string): void {
  const libraries = [...run(["ldd", executable]).matchAll(/(\/\S+\.so[.\d]*)/g)].map(([, path = ""]) => path);
  for (const path of libraries) {
    if (!LIBC.test(path)) throw new Error(`The base image has no ${path}.`);
    mkdirSync(join(root, dirname(path)), { recursive: true });
    cpSync(path, join(root, path), { dereference: true });
  }
  for (const path of ["data", "dev", "etc", "proc", "tmp", "usr/local/bin"])
    mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, "etc/passwd"), `nonroot:x:${uid}:${gid}:nonroot:/:/sbin/nologin\n`);
  writeFileSync(join(root, "dev/null"), "");
  cpSync(executable, join(root, "usr/local/bin/roster"));
  chmodSync(join(root, "usr/local/bin/roster"), 0o755);
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, uid, gid);
  console.log(`The image has ${libraries.length} libraries, and the executable.`);
}

async function tryImage(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  const first = start(readCommand("CMD"), port);
  await untilReady(url);
  const mounts = readFileSync(`/proc/${first.pid}/mounts`, "utf8");
  expect("the root is read-only", / \/ \S+ ro,/.test(mounts) && / \/data \S+ rw,/.test(mounts));
  expect(
    "the process is not root",
    readFileSync(`/proc/${first.pid}/status`, "utf8").includes(`\nUid:\t${uid}\t`),
  );
  const health = readCommand("HEALTHCHECK .* CMD").slice(1);
  expect("the health check passes", (await finish(health, port)) === "ok\n");
  expect("callers need a key", (await fetch(`${url}/api/users`)).status === 401);
  const key = (await finish(["keys", "create", "--name=admin", "--scope=all"], port)).trim();
  const authorization = { authorization: `Bearer ${key}` };
  await untilAccepted(url, authorization);
  const created = await fetch(`${url}/api/users`, {
    method: "POST",
    body: JSON.stringify({ name: "Ada Lovelace" }),
    headers: { ...authorization, "content-type": "application/json" },
  });
  expect("a user can be created", created.status === 201);
  first.kill("SIGTERM");
  expect("SIGTERM stops the service with code 0", (await first.exited) === 0);
  expect("the health check fails", (await start(health, port).exited) === 6);
  const second = start(readCommand("CMD"), port);
  await untilReady(url);
  const read = await fetch(`${url}/api/users/1`, { headers: authorization });
  expect("the user is there after a restart", (await read.json()).name === "Ada Lovelace");
  second.kill("SIGTERM");
  await second.exited;
}

/** Starts the image's entry point, as a container runtime does: mounts, account, environment. */
function start(args: readonly string[], port: number) {
  const mounts = [
    `/bin/mount --bind ${root} ${root}`,
    `/bin/mount -o remount,bind,ro ${root}`,
    `/bin/mount --bind ${data} ${root}/data`,
    `/bin/mount --bind /dev/null ${root}/dev/null`,
    `/bin/mount -t proc proc ${root}/proc`,
    `/bin/mount -t tmpfs tmpfs ${root}/tmp`,
  ];
  const enter = `exec /usr/sbin/chroot --userspec=${uid}:${gid} --groups=${gid} ${root} "$@"`;
  const script = `${mounts.join(" && ")} && ${enter}`;
  return Bun.spawn(["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh", ...entrypoint, ...args], {
    env: { ...variables, HOST: "127.0.0.1", ROSTER_AUTH: "required", PORT: String(port) },
    stdout: "pipe",
    stderr: "inherit",
  });
}

async function finish(args: readonly string[], port: number): Promise<string> {
  return new Response(start(args, port).stdout).text();
}

/** The parts of an instruction in the JSON form. */
function readCommand(instruction: string): string[] {
  const json = new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(image)?.[1];
  if (json === undefined) throw new Error(`The Dockerfile has no ${instruction}.`);
  return JSON.parse(json);
}

async function untilReady(url: string): Promise<void> {
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) await Bun.sleep(50);
}

/** A new key is known to the service within a second. */
async function untilAccepted(url: string, headers: Record<string, string>): Promise<void> {
  while (!(await fetch(`${url}/api/users`, { headers })).ok) await Bun.sleep(50);
}

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`Failed: ${what}.`);
  console.log(`  ${what}`);
}

function run(command: string[], cwd = project): string {
  const { stdout, stderr, success } = Bun.spawnSync(command, { cwd });
  if (!success) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout.toString();
}
