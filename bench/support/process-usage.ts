import { readFileSync } from "node:fs";

/** What Linux counts a process's time in, on every machine that Bun runs on. */
const TICKS_A_SECOND = 100;

/** CPU time that a process has used so far, in all its threads, in user and system mode. */
export function readCpuSeconds(pid: number): number {
  const { own } = timesOf(pid);
  return own;
}

/** The same of a process and all that it has started, those that have ended since among them. */
export function familyCpuSeconds(pid: number): number {
  const { own, ended } = timesOf(pid);
  // The process's first thread is the one that starts others, here and in most programs.
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const living = children.filter((child) => child !== "").map((child) => timeOfPassing(Number(child)));
  return living.reduce((sum, seconds) => sum + seconds, own + ended);
}

/** Nothing of a child that ends just now: its parent counts it from then on. */
function timeOfPassing(pid: number): number {
  try {
    return timesOf(pid).own;
  } catch {
    return 0;
  }
}

/** A process's own time, and that of the children whose end it has noticed. */
function timesOf(pid: number): { own: number; ended: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = Number.NaN, system = Number.NaN, endedUser = Number.NaN, endedSystem = Number.NaN] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) / TICKS_A_SECOND);
  return { own: user + system, ended: endedUser + endedSystem };
}

/** Memory of a process, in MB of 1,000,000 bytes. */
export interface Memory {
  /** All that is resident, pages of mapped files among it. */
  readonly resident: number;
  /** The part that is not backed by files, and that only the process can free. */
  readonly anonymous: number;
  /** The most that was ever resident. */
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
