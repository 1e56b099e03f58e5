import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { anyRuns, killFamily, send } from "./processes.ts";
import { launch } from "./programs.ts";

const ENDS_WITHIN = 5000;

/** Ends what runs at the place, whatever state it is in, and leaves nothing of it. */
export async function endPlace(place: string, pid: number | undefined): Promise<void> {
  if (pid !== undefined) await end(pid);
  await freeMemory(place);
  rmSync(place, { recursive: true, force: true, maxRetries: 10 });
}

async function end(pid: number): Promise<void> {
  send(pid, "SIGCONT");
  send(pid, "SIGQUIT");
  const deadline = performance.now() + ENDS_WITHIN;
  while (anyRuns([pid]) && performance.now() < deadline) await Bun.sleep(5);
  if (anyRuns([pid])) await killFamily(pid);
}

/**
 * A server that was killed leaves a piece of shared memory that would outlive its folder; a check of its settings finds
 * it and frees it.
 */
async function freeMemory(place: string): Promise<void> {
  const data = join(place, "data");
  if (existsSync(join(data, "postmaster.pid")))
    await once(launch(place, "postgres", ["--check", "-D", data]), "exit").catch(() => undefined);
}
