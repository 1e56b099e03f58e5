import type { ServerResponse } from "node:http";
import { failure } from "./servers.ts";

/** The headers of an NDJSON response. */
export const ndjson = { "content-type": "application/x-ndjson; charset=utf-8" };

export const line = (value: unknown) => `${JSON.stringify(value)}\n`;

export const never = () => new Promise<never>(() => undefined);

/** Iterates to the end, which must be an error. Returns the items before it, and the error. */
export async function iterate<T>(
  iterable: AsyncIterable<T>,
  onItem: () => void = () => undefined,
): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  const error = await failure(
    (async () => {
      for await (const item of iterable) {
        items.push(item);
        onItem();
      }
    })(),
  );
  return { items, error };
}

/** Sends a chunked response that is cut off after these parts, when the client has had time to read them. */
export const cutOffAfter =
  (...parts: string[]) =>
  (_request: unknown, response: ServerResponse) => {
    response.writeHead(200, ndjson);
    for (const part of parts) response.write(part);
    setTimeout(() => response.destroy(), 500);
  };
