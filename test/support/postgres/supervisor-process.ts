/**
 * The supervisor process of one PostgreSQL server. It stops the server and removes its folder when the tests end, even by
 * kill -9. It ignores signals: those of a terminal, and those that bun test sends to the children of a test that timed out.
 */
import type { ChildProcess } from "node:child_process";
import { launch, type Program } from "./programs.ts";
import { removeServer } from "./remove-server.ts";

/** The program to run. */
export interface SupervisorCommand {
  readonly program: Program;
  readonly args: readonly string[];
}

/** Sent when the program has started or ended. */
export type SupervisorEvent = { readonly pid: number } | { readonly ended: string };

const [, , serverFolder = ""] = Bun.argv;
let child: ChildProcess | undefined;

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined);

process.on("message", (text) => {
  const { program, args }: SupervisorCommand = JSON.parse(String(text));
  const started = launch(serverFolder, program, args);
  child = started;
  const end = (how: string) => {
    child = undefined;
    report({ ended: how });
  };
  started.once("error", (error) => end(error.message));
  started.once("exit", (code, signal) => end(String(code ?? signal)));
  if (started.pid !== undefined) report({ pid: started.pid });
});

process.once("disconnect", async () => {
  await removeServer(serverFolder, child?.pid);
  process.exit();
});

function report(event: SupervisorEvent): void {
  if (process.connected) process.send?.(event);
}
