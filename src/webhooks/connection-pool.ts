import type { Connection, ConnectOptions } from "./connection.ts";

/** As many as attempts at the same time: a connection that is closed too early costs more than a delivery. */
const MAX_IDLE = 512;

/** Connections that wait for the rest of a response, and then for the next delivery to the same address, port and server name. */
export class ConnectionPool {
  readonly #idleMs: number;
  readonly #idle = new Map<string, { connection: Connection; since: number }[]>();
  #count = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** A connection that can take a request; undefined if there is none. */
  take(options: ConnectOptions): Connection | undefined {
    const list = this.#idle.get(keyOf(options)) ?? [];
    const index = list.findLastIndex(({ connection }) => connection.isFree);
    if (index < 0) return undefined;
    this.#count--;
    return list.splice(index, 1)[0]?.connection;
  }

  /** The response has begun. If it does not end soon, the connection is closed. */
  give(options: ConnectOptions, connection: Connection): void {
    if (!connection.isOpen) return;
    if (this.#count >= MAX_IDLE) {
      connection.close();
      return;
    }
    const key = keyOf(options);
    const list = this.#idle.get(key) ?? [];
    this.#idle.set(key, list);
    list.push({ connection, since: performance.now() });
    this.#count++;
    this.#timer ??= setInterval(
      () => this.#closeIdle(performance.now() - this.#idleMs),
      this.#idleMs / 4,
    ).unref();
  }

  close(): void {
    this.#closeIdle(Number.POSITIVE_INFINITY);
  }

  #closeIdle(before: number): void {
    for (const [key, list] of this.#idle) {
      const kept = list.filter(({ connection, since }) => connection.isOpen && since > before);
      for (const entry of list) if (!kept.includes(entry)) entry.connection.close();
      this.#count -= list.length - kept.length;
      if (kept.length > 0) this.#idle.set(key, kept);
      else this.#idle.delete(key);
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function keyOf({ tls, address, port, serverName }: ConnectOptions): string {
  return `${tls ? "https" : "http"} ${address} ${port} ${serverName ?? ""}`;
}
