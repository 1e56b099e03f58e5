import type { Roster } from "../../support/process/roster.ts";

export async function stop(roster: Roster): Promise<void> {
  roster.kill("SIGTERM");
  await roster.exited;
}
