import type { Callable } from "../call.ts";
import type { SentWrite } from "./check-events.ts";
import { isInDoubt } from "./operation.ts";

type Node = Callable;

const WRITERS = 16;
/** Few users, and few emails: many writes meet at one user, and some are rejected. */
const MIN_USERS = 20;
const EMAILS = 40;

/** Creates, changes and deletes users on several nodes at the same time, and remembers every response. */
export class EventWriters {
  readonly writes: SentWrite[] = [];
  readonly #nodes: () => readonly Node[];
  readonly #ids: number[] = [];
  #isRunning = true;
  readonly #running: Promise<void>[];

  constructor(nodes: () => readonly Node[]) {
    this.#nodes = nodes;
    this.#running = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let number = 1; this.#isRunning; number++) await this.#write(writer, number);
    });
  }

  get acknowledged(): number {
    return this.writes.filter(({ status }) => status !== undefined && status < 300).length;
  }

  /** Lost responses, and responses that leave the outcome open. */
  get uncertain(): number {
    return this.writes.filter(({ status }) => status === undefined).length;
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
  }

  async #write(writer: number, number: number): Promise<void> {
    const requestId = `writer-${writer}-${number}`;
    const nodes = this.#nodes();
    const node = nodes[(writer + number) % nodes.length];
    if (!node) throw new Error("There is no node.");
    const id = this.#ids[Math.floor(Math.random() * this.#ids.length)];
    const kind = id === undefined || this.#ids.length < MIN_USERS ? 0 : Math.random();
    const send = (method: string, path: string, body?: unknown) =>
      node.call(path, { method, json: body, headers: { "x-request-id": requestId } });
    try {
      const response =
        kind < 0.3
          ? await send("POST", "/api/users", { name: requestId, email: `${number % EMAILS}@x.org` })
          : kind < 0.9
            ? await send("PATCH", `/api/users/${id}`, { mark: requestId })
            : await send("DELETE", `/api/users/${id}`);
      if (response.status === 201) this.#ids.push((await response.json()).id);
      if (response.status < 500) {
        this.writes.push({ requestId, status: response.status });
        return;
      }
      this.writes.push({ requestId, status: isInDoubt(await response.text()) ? undefined : response.status });
    } catch {
      this.writes.push({ requestId, status: undefined });
    }
    await Bun.sleep(20);
  }
}
