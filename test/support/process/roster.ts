import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Callable, callAt } from "../call.ts";
import { until } from "../until.ts";
import { rosterCommand } from "./roster-command.ts";

/** Generous: many processes may start at the same time on a busy machine. */
const RUN_TIMEOUT_MS = 60_000;

interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | number | null;
}

/** A Roster service in its own process. */
export interface Roster extends Callable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first response. */
  readonly startMs: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Resolves when the process has exited and all its output has been read. */
  readonly exited: Promise<ProcessExit>;
  /** As `until`, and fails at once if the process has exited: its output says why. */
  readonly until: typeof until;
  kill(signal: NodeJS.Signals): void;
}

export interface RosterOptions {
  /** The command that runs Roster. Default: this version. */
  readonly command?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Whether /readyz must succeed. Default: true. */
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

/** Has `stopAll` kill a process that a test started by itself. */
export function killAfterTest(child: Bun.Subprocess): void {
  running.add(child);
  void child.exited.then(() => running.delete(child));
}

/** Kills every process started here and removes the temporary folders. */
export async function stopAll(): Promise<void> {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ exited }) => exited));
  running.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Starts the service on a database and waits until it is ready. */
export async function startRoster(database: string, options: RosterOptions = {}): Promise<Roster> {
  // A busy machine must not add log lines about slow requests.
  const flags = ["--port=0", `--database=${database}`, "--slow-ms=60000", ...(options.flags ?? [])];
  return startWith(["serve", ...flags], options);
}

/** Starts the service with these arguments only. */
export async function startWith(args: readonly string[], options: RosterOptions = {}): Promise<Roster> {
  const begin = performance.now();
  const launched = launch([...(options.command ?? rosterCommand), ...args], options);
  const { child, stdout, stderr, exited } = launched;
  const url = await readUrl(launched);
  const ready = await fetch(`${url}/readyz`);
  if (ready.status !== 200 && options.ready !== false) throw new Error(`/readyz: status ${ready.status}`);
  const startMs = performance.now() - begin;
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    startMs,
    stdout,
    stderr,
    exited,
    until: launched.until,
    kill: (signal) => child.kill(signal),
    call: callAt(url),
  };
}

export interface CommandResult extends ProcessExit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it exits. A command that does not exit is killed, which `signal` shows. */
export async function runRoster(
  args: readonly string[],
  options: RosterOptions = {},
): Promise<CommandResult> {
  return runCommand([...rosterCommand, ...args], options);
}

export async function runCommand(
  command: readonly string[],
  { timeoutMs = RUN_TIMEOUT_MS, ...options }: RosterOptions & { readonly timeoutMs?: number } = {},
): Promise<CommandResult> {
  const { child, stdout, stderr, exited } = launch(command, options);
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const ended = await exited;
  clearTimeout(timer);
  const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  return { ...ended, stdout: joinLines(stdout), stderr: joinLines(stderr) };
}

/** Starts a command without waiting for it. */
export function spawnRoster(args: readonly string[], options: RosterOptions = {}) {
  const { child, ...launched } = launch([...rosterCommand, ...args], options);
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), ...launched };
}

/** The command line that runs Roster, quoted for a shell. */
export function shellCommand(args: readonly string[]): string {
  return [...rosterCommand, ...args].map((part) => `'${part}'`).join(" ");
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
  const exited = child.exited.then(async (): Promise<ProcessExit> => {
    running.delete(child);
    await read;
    return { code: child.exitCode, signal: child.signalCode };
  });
  return { child, stdout, stderr, exited, until: untilExit(exited, [stdout, stderr]) };
}

/** `until` for conditions that only a running process can meet. */
function untilExit(exited: Promise<ProcessExit>, output: readonly (readonly string[])[]): typeof until {
  let exit: ProcessExit | undefined;
  void exited.then((ended) => {
    exit = ended;
  });
  return (condition, describe = () => condition) =>
    until(async () => {
      const wasRunning = exit === undefined;
      const value = await condition();
      if (!value && !wasRunning)
        throw new Error(
          `The process ended with ${exit?.code ?? exit?.signal} before ${describe()}: ${output.flat().join("\n")}`,
        );
      return value;
    }, describe);
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

/** Waits for the log line that says the service is ready, in either log format, and returns its URL. */
async function readUrl({ stdout, until }: Pick<Roster, "stdout" | "until">): Promise<string> {
  const findUrl = () => {
    const line = stdout.find((text) => text.includes("is ready"));
    return /(http:\/\/[^\s"]+)\/api\/users/.exec(line ?? "")?.[1];
  };
  return until(findUrl, () => "the service reports that it is ready");
}
