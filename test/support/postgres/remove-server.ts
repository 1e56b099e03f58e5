import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAnyRunning, killProcessTree, sendSignal } from "./processes.ts";
import { launch } from "./programs.ts";

const STOP_TIMEOUT_MS = 5000;

/** Stops the server, whatever its state, and removes its folder and shared memory. */
export async function removeServer(serverFolder: string, pid: number | undefined): Promise<void> {
  if (pid !== undefined) await stop(pid);
  await freeSharedMemory(serverFolder);
  rmSync(serverFolder, { recursive: true, force: true, maxRetries: 10 });
}

async function stop(pid: number): Promise<void> {
  sendSignal(pid, "SIGCONT");
  sendSignal(pid, "SIGQUIT");
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (isAnyRunning([pid]) && performance.now() < deadline) await Bun.sleep(5);
  if (isAnyRunning([pid])) await killProcessTree(pid);
}

/** A killed server leaves shared memory behind. `postgres --check` finds and frees it. */
async function freeSharedMemory(serverFolder: string): Promise<void> {
  const data = join(serverFolder, "data");
  if (existsSync(join(data, "postmaster.pid")))
    await once(launch(serverFolder, "postgres", ["--check", "-D", data]), "exit").catch(() => undefined);
}
