interface Acknowledged {
  readonly id: number;
  /** When the response arrived, in milliseconds of `performance.now()`. */
  readonly at: number;
}

/** Callers that create users one after the other, until the service is gone, and remember every acknowledged create. */
export class Creates {
  readonly acknowledged: Acknowledged[] = [];
  readonly #url: string;
  #working: Promise<void>[] = [];
  #isStopped = false;

  constructor(url: string) {
    this.#url = url;
  }

  start(callers: number): void {
    this.#working = Array.from({ length: callers }, () => this.#run());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#working);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const response = await fetch(`${this.#url}/api/users`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: "Ada Lovelace", department: "engines", note: "x".repeat(100) }),
        });
        const { id }: { id: number } = await response.json();
        if (response.status === 201) this.acknowledged.push({ id, at: performance.now() });
      } catch {
        return;
      }
    }
  }
}
