import { readFileSync } from "node:fs";

/** What Linux counts a process's time in, on every machine that Bun runs on. */
const TICKS_A_SECOND = 100;

/** CPU time that a process has used so far, in all its threads, in user and system mode. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
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

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    return (Number(kilobytes) * 1024) / 1e6;
  };
  return { resident: megabytes("VmRSS"), anonymous: megabytes("RssAnon"), peak: megabytes("VmHWM") };
}
