import { join } from "node:path";
import type { Command, News } from "./keeper.ts";

/** What runs at a place, one program at a time. */
export class Keeper {
  readonly #process: Bun.Subprocess;
  #started: PromiseWithResolvers<number> | undefined;
  #ended = Promise.withResolvers<string>();
  #pid: number | undefined;

  constructor(place: string) {
    this.#process = Bun.spawn([process.execPath, join(import.meta.dir, "keeper.ts"), place], {
      stdio: ["ignore", "inherit", "inherit"],
      // A process group of its own: what kills this one's does not kill the keeper.
      detached: true,
      ipc: (news: News) => this.#learn(news),
      onExit: () => this.#learn({ ended: "its keeper" }),
    });
  }

  /** The process of what runs; undefined when nothing does. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** How what was run last has ended. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** The process that runs the command. */
  async run(command: Command): Promise<number> {
    if (this.#pid !== undefined) throw new Error("The server runs already.");
    const started = Promise.withResolvers<number>();
    this.#started = started;
    this.#ended = Promise.withResolvers();
    this.#process.send(JSON.stringify(command));
    return await started.promise;
  }

  /** Ends what runs and removes the place. */
  async clear(): Promise<void> {
    this.#process.disconnect();
    await this.#process.exited;
  }

  #learn(news: News): void {
    if ("pid" in news) {
      this.#pid = news.pid;
      this.#started?.resolve(news.pid);
    } else {
      this.#pid = undefined;
      this.#started?.reject(new Error(`It has ended with ${news.ended}.`));
      this.#ended.resolve(news.ended);
    }
  }
}
