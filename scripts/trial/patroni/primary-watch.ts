import { type ServerName, serverNames } from "./network.ts";

const POLL_MS = 50;

/** Watches which server Patroni has made the primary. */
export class PrimaryWatch {
  /** When each server became the primary, in milliseconds of `performance.now()`. */
  readonly #changes: { readonly name: ServerName; readonly at: number }[] = [];
  #isRunning = true;
  readonly #watching: Promise<unknown>;

  constructor() {
    this.#watching = Promise.all(serverNames.map((name) => this.#watch(name)));
  }

  /** When another server than `former` became the primary after this time; undefined if none did. */
  changeAfter(
    time: number,
    former: ServerName,
  ): { readonly name: ServerName; readonly at: number } | undefined {
    return this.#changes.find(({ name, at }) => at > time && name !== former);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#watching;
  }

  async #watch(name: ServerName): Promise<void> {
    let wasPrimary = true;
    while (this.#isRunning) {
      const signal = AbortSignal.timeout(1000);
      const isPrimary = await fetch(`http://${name}:8008/primary`, { signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isPrimary && !wasPrimary) this.#changes.push({ name, at: performance.now() });
      wasPrimary = isPrimary;
      await Bun.sleep(POLL_MS);
    }
  }
}
