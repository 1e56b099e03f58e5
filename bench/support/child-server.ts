import { existsSync } from "node:fs";
import { join } from "node:path";

/** A server in its own process. Disposing of it stops it. */
export interface ChildServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

const STOP_MS = 20_000;
const running = new Set<Bun.Subprocess>();

/** Starts Roster with `roster serve` on a free port. `preload` is a module that runs in its process. */
export function startService(
  database: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  preload?: string,
): Promise<ChildServer> {
  const main = pathTo("../../src/cli/main.ts");
  const program = preload === undefined ? [main] : ["--preload", preload, main];
  return serve([process.execPath, ...program], database, flags, env);
}

/** Creates the first users of `roster seed` with this command. The database is a path, or the URL of PostgreSQL. */
export async function runSeed(users: number, database: string): Promise<void> {
  const command = [process.execPath, pathTo("../../src/cli/main.ts"), "seed", String(users)];
  const child = Bun.spawn([...command, `--database=${database}`], {
    env: { PATH: process.env.PATH },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  running.add(child);
  const code = await child.exited;
  running.delete(child);
  if (code !== 0) throw new Error(`roster seed ended with ${code}.`);
}

/** Starts the Roster of another checkout, with the Bun that is installed there. */
export function startServiceOf(checkout: string, database: string, flags: readonly string[]) {
  const program = [join(checkout, "node_modules/.bin/bun"), join(checkout, "src/cli/main.ts")];
  const missing = program.find((path) => !existsSync(path));
  if (missing !== undefined)
    throw new Error(`${missing} does not exist. Give a checkout of Roster, and run npm ci in it.`);
  return serve(program, database, flags);
}

function serve(
  program: readonly string[],
  database: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildServer> {
  const command = [...program, "serve", "--port=0", `--database=${database}`, ...flags];
  return startChild(command, (line) => /"users":"(.*?)\/api\/users"/.exec(line)?.[1], env);
}

/** Starts a program of this folder that prints its address first, on Node.js. */
export function startNodeProgram(path: string, ...values: string[]): Promise<ChildServer> {
  return startChild(["node", pathTo(`../${path}`), ...values], (line) => line);
}

/** Starts the baseline for creates on a database with Roster's tables: one INSERT per request. */
export function startInsertPerRequest(database: string): Promise<ChildServer> {
  return startChild(
    [process.execPath, pathTo("../baselines/insert-per-request.ts"), database],
    (line) => line,
  );
}

/** Starts `Bun.serve` with a constant response: the cost of HTTP alone. */
export function startConstantBun(body: string): Promise<ChildServer> {
  return startChild([process.execPath, pathTo("../baselines/constant-bun.ts"), body], (line) => line);
}

/** Starts `node:http` with a constant response, if Node.js is installed. */
export async function startConstantNode(body: string): Promise<ChildServer | undefined> {
  return Bun.which("node") ? startNodeProgram("baselines/constant-node.mjs", body) : undefined;
}

function pathTo(path: string): string {
  return Bun.fileURLToPath(new URL(path, import.meta.url));
}

/** Resolves when the process has printed a line with its address. */
export async function startChild(
  command: string[],
  findUrl: (line: string) => string | undefined,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChildServer> {
  // The caller's environment must not change the measurement.
  const env = { PATH: process.env.PATH, ...settings };
  const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  running.add(child);
  const url = await firstMatch(child.stdout, findUrl);
  if (url === undefined) {
    running.delete(child);
    throw new Error(`${command.slice(0, 3).join(" ")} exited before it listened.`);
  }
  return {
    url,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const killTimer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await child.exited;
      clearTimeout(killTimer);
      running.delete(child);
    },
  };
}

/** Returns the first match in the lines of an output. Keeps reading afterwards: a full pipe would block the writer. */
async function firstMatch(
  output: ReadableStream<Uint8Array>,
  find: (line: string) => string | undefined,
): Promise<string | undefined> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    text += decoder.decode(value, { stream: true });
    const lines = text.split("\n").slice(0, -1);
    for (const line of lines) {
      const found = find(line);
      if (found === undefined) continue;
      void discard(reader);
      return found;
    }
  }
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill("SIGTERM");
    process.exit(130);
  });
}
