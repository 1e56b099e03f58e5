/** A server in a process of its own. Disposing of it stops it. */
export interface ChildServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

const STOP_MS = 20_000;
const running = new Set<Bun.Subprocess>();

/** The service as its users run it, on a free port. */
export function startService(database: string, flags: readonly string[] = []): Promise<ChildServer> {
  const main = fileIn("../src/cli/main.ts");
  const command = [process.execPath, main, "serve", "--port=0", `--database=${database}`, ...flags];
  return startChild(command, (line) => /"users":"(.*?)\/api\/users"/.exec(line)?.[1]);
}

/** Creates as they are written most often, in a database that has Roster's tables. */
export function startPlainService(database: string): Promise<ChildServer> {
  return startChild([process.execPath, fileIn("./plain-service.ts"), database], (line) => line);
}

/** Bun's own server, with the same body for every request: what HTTP alone costs. */
export function startConstantBun(body: string): Promise<ChildServer> {
  return startChild([process.execPath, fileIn("./constant-bun.ts"), body], (line) => line);
}

/** The same on the machine's Node.js, if it has one. */
export async function startConstantNode(body: string): Promise<ChildServer | undefined> {
  const node = Bun.which("node");
  return node ? startChild([node, fileIn("./constant-node.mjs"), body], (line) => line) : undefined;
}

function fileIn(path: string): string {
  return Bun.fileURLToPath(new URL(path, import.meta.url));
}

/** Resolves when the process has printed a line that has its address in it. */
async function startChild(
  command: string[],
  urlIn: (line: string) => string | undefined,
): Promise<ChildServer> {
  // Settings in the caller's environment are not to change what is measured.
  const env = { PATH: process.env.PATH };
  const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  running.add(child);
  const url = await firstMatch(child.stdout, urlIn);
  if (url === undefined) {
    running.delete(child);
    throw new Error(`${command.slice(0, 3).join(" ")} ended before it listened.`);
  }
  return {
    url,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const giveUp = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await child.exited;
      clearTimeout(giveUp);
      running.delete(child);
    },
  };
}

/** What is found in the first line that has it; the rest is read all the same, lest the writer be held up. */
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
