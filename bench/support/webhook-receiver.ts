/** Receives the deliveries of webhooks, in its own process. Prints its URL; `GET /` responds with a `Received`. */
import { type ChildServer, startChild } from "./child-server.ts";

/** Deliveries of different events to different paths, and all deliveries. */
export interface Received {
  readonly different: number;
  readonly all: number;
}

/** Runs this script in its own process. */
export function startWebhookReceiver(): Promise<ChildServer> {
  return startChild([process.execPath, Bun.fileURLToPath(import.meta.url)], (line) => line);
}

export async function readReceived({ url }: ChildServer): Promise<Received> {
  const response = await fetch(url);
  const received: Received = await response.json();
  return received;
}

if (import.meta.main) {
  const events = new Map<string, Set<string | null>>();
  let all = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === "GET") {
        const different = [...events.values()].reduce((sum, { size }) => sum + size, 0);
        return Response.json({ different, all } satisfies Received);
      }
      await request.arrayBuffer();
      all++;
      const ids = events.get(pathname) ?? new Set();
      events.set(pathname, ids.add(request.headers.get("webhook-id")));
      return new Response(null, { status: 204 });
    },
  });
  console.log(String(server.url));
}
