import { readdirSync, readFileSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** A zombie: it has exited, and its parent has not collected its exit code. */
  readonly ended: boolean;
}

/** Whether any of the processes is running. Zombies do not count. */
export function isAnyRunning(pids: readonly number[]): boolean {
  return processes(pids.map(String)).some(({ pid, ended }) => pids.includes(pid) && !ended);
}

/** Signals a process and its children. Stops the parent first, so that it cannot react to a child's exit. */
export function signalProcessTree(pid: number, signal: NodeJS.Signals): number[] {
  sendSignal(pid, "SIGSTOP");
  const children = processes().filter(({ parent }) => parent === pid);
  const family = [pid, ...children.map((child) => child.pid)];
  for (const member of family) sendSignal(member, signal);
  return family;
}

export async function killProcessTree(pid: number): Promise<void> {
  const family = signalProcessTree(pid, "SIGKILL");
  while (isAnyRunning(family)) await Bun.sleep(5);
}

/** Signals a process. Does nothing if the process has exited. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** These processes or all. Reads /proc on Linux, because minimal machines have no ps. Uses ps elsewhere. */
function processes(pids?: readonly string[]): Process[] {
  if (process.platform !== "linux") {
    const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid=,state="]);
    const rows = stdout.toString().trim().split("\n");
    return rows
      .map((row) => row.trim().split(/\s+/))
      .map(([pid, parent, state]) => parseProcess(pid, parent, state));
  }
  const found = pids ?? readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return found.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The process name in parentheses may contain spaces and parentheses: parse what follows it.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [parseProcess(pid, parent, state)];
    } catch {
      return [];
    }
  });
}

function parseProcess(
  pid: string | undefined,
  parent: string | undefined,
  state: string | undefined,
): Process {
  return { pid: Number(pid), parent: Number(parent), ended: state?.startsWith("Z") ?? true };
}
