import { readdirSync, readFileSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Ended, though nobody has asked yet how. */
  readonly ended: boolean;
}

/** Whether one of them runs; one that has ended and waits for its parent does not. */
export function anyRuns(pids: readonly number[]): boolean {
  return processes().some(({ pid, ended }) => pids.includes(pid) && !ended);
}

/** Sends it the signal, and every process that it has started. They get no time to react to each other's end. */
export function signalFamily(pid: number, signal: NodeJS.Signals): number[] {
  send(pid, "SIGSTOP");
  const children = processes().filter(({ parent }) => parent === pid);
  const family = [pid, ...children.map((child) => child.pid)];
  for (const member of family) send(member, signal);
  return family;
}

export async function killFamily(pid: number): Promise<void> {
  const family = signalFamily(pid, "SIGKILL");
  while (anyRuns(family)) await Bun.sleep(5);
}

/** Sends it the signal; one that has ended meanwhile is no error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** From /proc, because bare machines have no ps; from ps, where there is no /proc. */
function processes(): Process[] {
  if (process.platform !== "linux") {
    const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid=,state="]);
    const rows = stdout.toString().trim().split("\n");
    return rows.map((row) => row.trim().split(/\s+/)).map(([pid, parent, state]) => of(pid, parent, state));
  }
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The name in parentheses may hold anything; what follows it does not.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [of(pid, parent, state)];
    } catch {
      return [];
    }
  });
}

function of(pid: string | undefined, parent: string | undefined, state: string | undefined): Process {
  return { pid: Number(pid), parent: Number(parent), ended: state?.startsWith("Z") ?? true };
}
