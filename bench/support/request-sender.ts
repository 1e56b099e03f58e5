import { HttpConnection } from "./http-connection.ts";

/** Sends requests to a server over connections that stay open, one at a time on each. Disposing of it closes them. */
export class RequestSender implements Disposable {
  readonly #idle: HttpConnection[] = [];
  /** The requests that wait for a response. */
  readonly #sent = new Map<HttpConnection, string>();
  #unsent = 0;
  #nextRequest = () => "";
  #done = Promise.withResolvers<void>();

  static async open(url: URL, connections: number): Promise<RequestSender> {
    const sender = new RequestSender();
    const events = {
      responded: (connection: HttpConnection, status: number) => sender.#responded(connection, status),
      failed: (connection: HttpConnection, reason: string) => sender.#failed(connection, reason),
    };
    const opening = Array.from({ length: connections }, () => HttpConnection.open(url, events));
    sender.#idle.push(...(await Promise.all(opening)));
    return sender;
  }

  /** Resolves when all responses have arrived. Rejects if one is not a success. */
  async send(count: number, nextRequest: () => string): Promise<void> {
    this.#unsent = count;
    this.#nextRequest = nextRequest;
    this.#done = Promise.withResolvers();
    for (const connection of this.#idle.splice(0)) this.#sendNext(connection);
    await this.#done.promise;
  }

  [Symbol.dispose](): void {
    for (const connection of [...this.#idle, ...this.#sent.keys()]) connection.close();
  }

  #sendNext(connection: HttpConnection): void {
    if (this.#unsent > 0) {
      this.#unsent--;
      const request = this.#nextRequest();
      this.#sent.set(connection, request);
      connection.send(request);
    } else {
      this.#sent.delete(connection);
      this.#idle.push(connection);
      if (this.#sent.size === 0) this.#done.resolve();
    }
  }

  #responded(connection: HttpConnection, status: number): void {
    if (status >= 200 && status < 300) this.#sendNext(connection);
    else this.#failed(connection, `status ${status}`);
  }

  #failed(connection: HttpConnection, reason: string): void {
    const [line = ""] = (this.#sent.get(connection) ?? "").split(" HTTP/1.1");
    this.#done.reject(new Error(`${line || "A connection"} failed: ${reason}.`));
  }
}
