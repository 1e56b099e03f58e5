import { join } from "node:path";
import type { SupervisorCommand, SupervisorEvent } from "./supervisor-process.ts";

/** Runs the programs of one server, one at a time, through a process that outlives the tests. */
export class ServerSupervisor {
  readonly #process: Bun.Subprocess;
  #started: PromiseWithResolvers<number> | undefined;
  #ended = Promise.withResolvers<string>();
  #pid: number | undefined;

  constructor(serverFolder: string) {
    this.#process = Bun.spawn(
      [process.execPath, join(import.meta.dir, "supervisor-process.ts"), serverFolder],
      {
        stdio: ["ignore", "inherit", "inherit"],
        // In its own process group, so that a signal to the tests' group does not reach it.
        detached: true,
        ipc: (event: SupervisorEvent) => this.#handle(event),
        onExit: () => this.#handle({ ended: "the supervisor's exit" }),
      },
    );
  }

  /** The process id of the running program, if any. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** The exit code or signal of the last program. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Starts a program and returns its process id. */
  async run(command: SupervisorCommand): Promise<number> {
    if (this.#pid !== undefined) throw new Error("The server is already running.");
    const started = Promise.withResolvers<number>();
    this.#started = started;
    this.#ended = Promise.withResolvers();
    this.#process.send(JSON.stringify(command));
    return await started.promise;
  }

  /** Stops the running program and removes the server's folder. */
  async clear(): Promise<void> {
    this.#process.disconnect();
    await this.#process.exited;
  }

  #handle(event: SupervisorEvent): void {
    if ("pid" in event) {
      this.#pid = event.pid;
      this.#started?.resolve(event.pid);
    } else {
      this.#pid = undefined;
      this.#started?.reject(new Error(`The program ended with ${event.ended}.`));
      this.#ended.resolve(event.ended);
    }
  }
}
