import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Roster, type RosterOptions, temporaryFolder } from "../process/roster.ts";
import { until } from "../until.ts";

const MIB = 1024 * 1024;
/** Object types that belong to a request, a stream, a timer or a connection. */
const REQUEST_TYPES =
  /^(Request|Response|Headers|ReadableStream.*|Readable.*Controller|AbortSignal|AbortController|Timeout|Immediate|Blob|Subprocess|.*Socket|.*Sink)$/;

export interface Usage {
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
  readonly threads: number;
  /** Live objects of requests, streams, timers and connections. */
  readonly objects: number;
  readonly byType: Record<string, number>;
  /** What the file descriptors refer to. */
  readonly files: readonly string[];
}

/** Measures what a service uses. The service must be started with the variables in `env`. */
export class UsageProbe {
  readonly #file = join(temporaryFolder(), "probe.json");
  readonly env: NonNullable<RosterOptions["env"]> = {
    BUN_OPTIONS: `--preload=${join(import.meta.dir, "memory-probe.ts")}`,
    MEMORY_PROBE: this.#file,
  };

  /** Waits until the service has finished what clients left behind, and measures it. */
  async measureIdle(roster: Roster): Promise<Usage> {
    let last = await this.#measure(roster);
    return await until(async () => {
      await Bun.sleep(1000);
      const before = last;
      last = await this.#measure(roster);
      const isStable =
        last.objects >= before.objects &&
        last.heapMiB >= before.heapMiB &&
        last.descriptors >= before.descriptors;
      return isStable ? last : undefined;
    });
  }

  /** Waits until the service uses about as much as before. Fails if it does not. */
  async expectBack(roster: Roster, before: Usage): Promise<Usage> {
    let after = before;
    const limit = { residentMiB: before.residentMiB * 1.2 + 32, heapMiB: before.heapMiB * 1.2 + 4 };
    return await until(
      async () => {
        after = await this.measureIdle(roster);
        const isBack =
          after.residentMiB <= limit.residentMiB &&
          after.heapMiB <= limit.heapMiB &&
          after.descriptors <= before.descriptors + 2 &&
          after.threads <= before.threads + 2 &&
          after.objects <= before.objects + 20;
        return isBack ? after : undefined;
      },
      () => JSON.stringify({ before, after }),
    );
  }

  /** Measures the service after a garbage collection. */
  async #measure(roster: Roster): Promise<Usage> {
    rmSync(this.#file, { force: true });
    roster.kill("SIGUSR2");
    await until(() => existsSync(this.#file));
    const { heapSize, objects }: { heapSize: number; objects: Record<string, number> } = JSON.parse(
      readFileSync(this.#file, "utf8"),
    );
    const byType = Object.fromEntries(Object.entries(objects).filter(([type]) => REQUEST_TYPES.test(type)));
    const status = readFileSync(`/proc/${roster.pid}/status`, "utf8");
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
    const files = listFiles(roster.pid);
    return {
      residentMiB: Math.round((field("VmRSS") * 1024) / MIB),
      heapMiB: Math.round(heapSize / MIB),
      descriptors: files.length,
      threads: field("Threads"),
      objects: Object.values(byType).reduce((sum, count) => sum + count, 0),
      byType,
      files,
    };
  }
}

function listFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return "closed";
    }
  });
}

/** Usage without the details. */
export const brief = ({ byType: _types, files: _files, ...usage }: Usage) => usage;
