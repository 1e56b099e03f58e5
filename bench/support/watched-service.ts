import { existsSync, readFileSync, rmSync } from "node:fs";
import { type ChildServer, startService } from "./child-server.ts";
import type { ScratchFolder } from "./scratch-folder.ts";

const PATIENCE_MS = 10_000;

export interface WatchedService extends ChildServer {
  /** The longest turn of the event loop since the last call, in milliseconds of CPU time. */
  takeLongestTurn(): Promise<number>;
}

/** Starts Roster with a watch on its event loop. */
export async function startWatchedService(
  database: string,
  folder: ScratchFolder,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<WatchedService> {
  const path = folder.file("turns");
  const preload = Bun.fileURLToPath(new URL("./watch-turns.ts", import.meta.url));
  const service = await startService(database, flags, { ...env, BENCH_TURNS: path }, preload);
  return {
    ...service,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    async takeLongestTurn() {
      rmSync(path, { force: true });
      process.kill(service.pid, "SIGUSR2");
      const deadline = performance.now() + PATIENCE_MS;
      while (!existsSync(path)) {
        if (performance.now() > deadline) throw new Error("The service does not report its turns.");
        await Bun.sleep(5);
      }
      return Number(readFileSync(path, "utf8"));
    },
  };
}
