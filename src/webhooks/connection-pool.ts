import type { Connection, ConnectOptions } from "./connection.ts";

/** Receivers often close idle connections after five seconds. */
const IDLE_MS = 4000;
/** As many as attempts at the same time: a connection that is closed too early costs more than a delivery. */
const MAX_IDLE = 512;

/** Connections that wait for the next delivery to the same address, port and server name. */
export class ConnectionPool {
  readonly #idle = new Map<string, { connection: Connection; since: number }[]>();
  #count = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** An idle connection; undefined if there is none. */
  take(options: ConnectOptions): Connection | undefined {
    const list = this.#idle.get(keyOf(options));
    for (let entry = list?.pop(); entry; entry = list?.pop()) {
      this.#count--;
      if (entry.connection.isOpen) return entry.connection;
    }
    return undefined;
  }

  give(options: ConnectOptions, connection: Connection): void {
    const key = keyOf(options);
    const list = this.#idle.get(key) ?? [];
    if (this.#count >= MAX_IDLE) {
      connection.close();
      return;
    }
    this.#idle.set(key, list);
    list.push({ connection, since: performance.now() });
    this.#count++;
    this.#timer ??= setInterval(() => this.#closeIdle(performance.now() - IDLE_MS), IDLE_MS / 4).unref();
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
