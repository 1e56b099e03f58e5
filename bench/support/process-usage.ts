import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in these ticks on every machine that Bun runs on. */
const TICKS_PER_SECOND = 100;

/** The CPU time that a process has used: user and system, all threads. */
export function readCpuSeconds(pid: number): number {
  return readTimes(pid).own;
}

/** The CPU time of a process and its descendants, including those that have ended. */
export function readTreeCpuSeconds(pid: number): number {
  try {
    const { own, ended } = readTimes(pid);
    return readChildren(pid).reduce((sum, child) => sum + readTreeCpuSeconds(child), own + ended);
  } catch (error) {
    // A process that has just ended: its parent's times include it then.
    if (error instanceof Error && "code" in error && ["ENOENT", "ESRCH"].includes(String(error.code)))
      return 0;
    throw error;
  }
}

/** The children of all threads. */
function readChildren(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
      .split(" ")
      .filter((child) => child.trim() !== "")
      .map(Number),
  );
}

/** A process's own time, and that of its children that have ended. */
function readTimes(pid: number): { own: number; ended: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in parentheses and can contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = Number.NaN, system = Number.NaN, endedUser = Number.NaN, endedSystem = Number.NaN] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  return { own: user + system, ended: endedUser + endedSystem };
}

/** Memory of a process, in MB of 1,000,000 bytes. */
export interface Memory {
  /** Resident memory, including pages of mapped files. */
  readonly resident: number;
  /** The part that no file backs: only the process can free it. */
  readonly anonymous: number;
  /** The highest resident memory so far. */
  readonly peak: number;
}

export function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    return (Number(kilobytes) * 1024) / 1e6;
  };
  return { resident: megabytes("VmRSS"), anonymous: megabytes("RssAnon"), peak: megabytes("VmHWM") };
}
