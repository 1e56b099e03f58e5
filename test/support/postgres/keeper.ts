/**
 * A process that runs what belongs to one place, and clears the place when the tests let go of it, however they end,
 * kill -9 included. No signal ends it: neither one to all processes of a terminal, nor bun test's own to all that a test
 * has started that takes too long.
 */
import type { ChildProcess } from "node:child_process";
import { endPlace } from "./ending.ts";
import { launch, type Program } from "./programs.ts";

/** What the keeper is asked for. */
export interface Command {
  readonly program: Program;
  readonly args: readonly string[];
}

/** What it says of it. */
export type News = { readonly pid: number } | { readonly ended: string };

const [, , place = ""] = Bun.argv;
let child: ChildProcess | undefined;

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined);

process.on("message", (text) => {
  const { program, args }: Command = JSON.parse(String(text));
  const started = launch(place, program, args);
  child = started;
  const end = (how: string) => {
    child = undefined;
    say({ ended: how });
  };
  started.once("error", (error) => end(error.message));
  started.once("exit", (code, signal) => end(String(code ?? signal)));
  if (started.pid !== undefined) say({ pid: started.pid });
});

process.once("disconnect", async () => {
  await endPlace(place, child?.pid);
  process.exit();
});

function say(news: News): void {
  if (process.connected) process.send?.(news);
}
