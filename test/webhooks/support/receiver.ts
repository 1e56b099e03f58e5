import type { Server } from "bun";

export interface Delivery {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A program that receives webhooks on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: Delivery[];
  /** Answers the next deliveries. */
  respond: (delivery: Delivery) => Response | Promise<Response>;
  stop(): Promise<void>;
}

export function startReceiver(
  options: { hostname?: string; port?: number; tls?: { cert: string; key: string } } = {},
): Receiver {
  const { hostname = "127.0.0.1", port = 0, tls } = options;
  const received: Delivery[] = [];
  const receiver = { respond: (): Response | Promise<Response> => new Response(null, { status: 204 }) };
  const server: Server<undefined> = Bun.serve({
    hostname,
    port,
    ...(tls && { tls }),
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const delivery = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      };
      received.push(delivery);
      return result.respond(delivery);
    },
  });
  const result: Receiver = {
    url: `${tls ? "https" : "http"}://${hostname}:${server.port}/hook`,
    received,
    respond: receiver.respond,
    stop: () => server.stop(true),
  };
  return result;
}
