import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_TIMEOUT_MS = 10_000;

interface StartOptions {
  /** Added to the variables of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Where the program accepts connections. Default: this machine. */
  readonly host?: string;
}

/** A program with its own temporary folder. `end` stops the program and removes the folder. */
export class Program {
  readonly folder = mkdtempSync(join(tmpdir(), "roster-trial-"));
  #child: Bun.Subprocess | undefined;

  /** Writes a file into the folder and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** For a program that switches to another account. */
  makeFolderReadable(): void {
    chmodSync(this.folder, 0o755);
  }

  /** Starts the program and waits until it accepts connections. */
  async start(
    command: readonly string[],
    port: number,
    { env, timeoutMs = START_TIMEOUT_MS, host = "127.0.0.1" }: StartOptions = {},
  ): Promise<void> {
    const log = Bun.file(join(this.folder, "log"));
    const child = Bun.spawn([...command], {
      stdin: "ignore",
      stdout: log,
      stderr: log,
      cwd: this.folder,
      env: { ...process.env, ...env },
    });
    this.#child = child;
    const deadline = performance.now() + timeoutMs;
    while (!(await isOpen(host, port))) {
      if (child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`${command[0]} does not start.\n${this.log()}`);
      }
      await Bun.sleep(20);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  log(): string {
    return readFileSync(join(this.folder, "log"), "utf8");
  }

  /** Stops the program. The folder stays. */
  async stop(): Promise<void> {
    this.#child?.kill("SIGTERM");
    await this.#child?.exited;
  }

  /** With KEEP=1, the folder stays. */
  async end(): Promise<void> {
    await this.stop();
    if (process.env.KEEP === undefined) rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("No free port.");
  return address.port;
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
