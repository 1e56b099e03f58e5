import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns a function that returns the CPU time since this call of a process and its descendants, in microseconds. Linux counts
 * it in nanoseconds for each thread: use it for batches that are too short for `readCpuSeconds`, which counts ticks of 10 ms.
 * A thread that ends in between does not count.
 */
export function startCpuMeter(pid: number): () => number {
  const before = new Map(readThreads(String(pid)));
  return () =>
    readThreads(String(pid)).reduce((sum, [id, micros]) => sum + micros - (before.get(id) ?? 0), 0);
}

/** Like `startCpuMeter`, for this process. */
export function startOwnCpuMeter(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}

/** The threads of a process and its descendants, and the CPU time of each. */
function readThreads(pid: string): [thread: string, micros: number][] {
  return ignoreEnded(() =>
    readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      ignoreEnded(() => {
        const read = (file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, "utf8").split(" ");
        const own: [string, number] = [thread, Number(read("schedstat")[0]) / 1000];
        return [own, ...read("children").flatMap((child) => (child.trim() === "" ? [] : readThreads(child)))];
      }),
    ),
  );
}

/** A process or thread that has just ended has no files. */
function ignoreEnded<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && ["ENOENT", "ESRCH"].includes(String(error.code)))
      return [];
    throw error;
  }
}
