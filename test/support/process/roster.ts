import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../paths.ts";

const main = join(root, "src/cli/main.ts");
/** Many may start at once, on a machine that is busy. */
const STARTS_WITHIN = 45_000;
const ENDS_WITHIN = 15_000;

interface Ended {
  readonly code: number | null;
  readonly signal: string | number | null;
}

/** A service in a process of its own. */
export interface Roster {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMs: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** How it ended, once all that it wrote has been read. */
  readonly exited: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  call(path: string, init?: RequestInit): Promise<Response>;
  send(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

export interface RosterOptions {
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Whether it has to say of itself that it is ready; true unless said otherwise. */
  readonly ready?: boolean;
}

const running = new Set<Bun.Subprocess>();
const folders: string[] = [];

/** A folder that `endAll` removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "roster-process-"));
  folders.push(folder);
  return folder;
}

/** Ends every process that was started here and removes every folder. */
export async function endAll(): Promise<void> {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ exited }) => exited));
  running.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Starts the service on the database and waits until it answers. */
export async function startRoster(database: string, options: RosterOptions = {}): Promise<Roster> {
  return startWith(["serve", "--port=0", `--database=${database}`, ...(options.flags ?? [])], options);
}

/** The same with nothing said but what `args` and the environment say. */
export async function startWith(args: readonly string[], options: RosterOptions = {}): Promise<Roster> {
  const begin = performance.now();
  const { child, stdout, stderr, exited } = launch([process.execPath, main, ...args], options);
  const url = await Promise.race([
    announced(stdout),
    exited.then(({ code, signal }) => {
      throw new Error(`The service ended with ${code ?? signal}: ${[...stdout, ...stderr].join("\n")}`);
    }),
  ]);
  const ready = await fetch(`${url}/readyz`);
  if (ready.status !== 200 && options.ready !== false) throw new Error(`/readyz answered ${ready.status}.`);
  const startMs = performance.now() - begin;
  const call = (path: string, init?: RequestInit) => fetch(url + path, init);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    startMs,
    stdout,
    stderr,
    exited,
    kill: (signal) => child.kill(signal),
    call,
    send: (method, path, body, headers = {}) =>
      call(path, {
        method,
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      }),
  };
}

export interface Ran extends Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end. One that goes on serving is ended, and its signal tells. */
export async function runRoster(args: readonly string[], options: RosterOptions = {}): Promise<Ran> {
  return runCommand([process.execPath, main, ...args], options);
}

export async function runCommand(command: readonly string[], options: RosterOptions = {}): Promise<Ran> {
  const { child, stdout, stderr, exited } = launch(command, options);
  const timer = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN);
  const ended = await exited;
  clearTimeout(timer);
  const whole = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  return { ...ended, stdout: whole(stdout), stderr: whole(stderr) };
}

/** Starts the program, whatever it does, for whoever ends it in the middle. */
export function spawnRoster(args: readonly string[], options: RosterOptions = {}) {
  const { child, stdout, stderr, exited } = launch([process.execPath, main, ...args], options);
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), stdout, stderr, exited };
}

/** The command that runs the program, for a shell. */
export function shellCommand(args: readonly string[]): string {
  return [process.execPath, main, ...args].map((part) => `'${part}'`).join(" ");
}

function launch(command: readonly string[], { env = {}, cwd }: RosterOptions) {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? "", ...env },
    ...(cwd !== undefined && { cwd }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  running.add(child);
  const stdout: string[] = [];
  const stderr: string[] = [];
  const read = Promise.all([readLines(child.stdout, stdout), readLines(child.stderr, stderr)]);
  const exited = child.exited.then(async (): Promise<Ended> => {
    running.delete(child);
    await read;
    return { code: child.exitCode, signal: child.signalCode };
  });
  return { child, stdout, stderr, exited };
}

async function readLines(stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  }
  if (rest !== "") lines.push(rest);
}

/** The address in the line that says the service is ready, in either format of the log. */
async function announced(stdout: readonly string[]): Promise<string> {
  const deadline = performance.now() + STARTS_WITHIN;
  while (performance.now() < deadline) {
    const line = stdout.find((text) => text.includes("is ready"));
    const url = /(http:\/\/[^\s"]+)\/api\/users/.exec(line ?? "")?.[1];
    if (url) return url;
    await Bun.sleep(2);
  }
  throw new Error("The service did not say that it is ready.");
}
