import { until } from "../../support/until.ts";
import { failure, serveHttp } from "./servers.ts";

/** The headers of an NDJSON response. */
export const ndjson = { "content-type": "application/x-ndjson; charset=utf-8" };

export const line = (value: unknown) => `${JSON.stringify(value)}\n`;

export const never = () => new Promise<never>(() => undefined);

/** Iterates to the end, which must be an error. Returns the items before it, and the error. */
export async function iterate<T>(
  iterable: AsyncIterable<T>,
  onItem: (item: T) => void = () => undefined,
): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  const error = await failure(
    (async () => {
      for await (const item of iterable) {
        items.push(item);
        onItem(item);
      }
    })(),
  );
  return { items, error };
}

/** Resolves when the event loop has run everything that was due. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Starts a server that sends the begin of a response. `cutOff` breaks the connection. */
export async function serveBegin(begin: string) {
  const server = { url: "", requests: 0, cutOff: () => undefined as unknown };
  server.url = await serveHttp((request, response) => {
    server.requests++;
    server.cutOff = () => response.destroy();
    request.resume();
    response.writeHead(200, ndjson).write(begin);
  });
  return server;
}

/** Waits until a growing number stays the same for ten polls, or exceeds the maximum. Returns it. */
export async function settled(read: () => number, max: number): Promise<number> {
  let [last, polls] = [0, 0];
  await until(() => {
    const value = read();
    polls = value === last ? polls + 1 : 0;
    last = value;
    return (value > 0 && polls === 10) || value > max;
  });
  return last;
}
