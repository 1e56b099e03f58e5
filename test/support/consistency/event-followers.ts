import { createClient } from "../../../src/client/index.ts";
import type { Callable } from "../call.ts";
import type { FollowedEvent } from "./check-events.ts";

const BEGINNING = "00000000000";

/** Follows the feed over HTTP, and continues after broken connections. */
export interface Follower {
  readonly seen: FollowedEvent[];
  /** Requests that failed, and streams that broke. */
  readonly failures: () => number;
  /** Ends after the event for which `isLast` is true. */
  readonly done: Promise<void>;
}
export type IsLast = (event: FollowedEvent) => boolean;

export function followWithClient(url: string, isLast: IsLast): Follower {
  const seen: FollowedEvent[] = [];
  let failures = 0;
  const countFailures = async (request: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(request, init).catch((error: unknown) => {
      failures++;
      throw error;
    });
    if (response.status >= 500) failures++;
    return response;
  };
  const roster = createClient({ baseUrl: url, fetch: countFailures, onRetry: () => undefined });
  const follow = async () => {
    for await (const event of roster.events.follow({ after: BEGINNING })) {
      seen.push(event);
      if (isLast(event)) return;
    }
  };
  return { seen, failures: () => failures, done: follow() };
}

/** Reads server-sent events, and sends Last-Event-ID after a broken connection. */
export function followStream(url: string, isLast: IsLast): Follower {
  const seen: FollowedEvent[] = [];
  let failures = 0;
  /** Whether the last event has arrived. */
  const readStream = async (): Promise<boolean> => {
    const headers = { accept: "text/event-stream", "last-event-id": seen.at(-1)?.id ?? BEGINNING };
    const { body } = await fetch(`${url}/api/events`, { headers });
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data === undefined) continue;
        const event: FollowedEvent = JSON.parse(data);
        seen.push(event);
        if (isLast(event)) return true;
      }
    }
    return false;
  };
  const follow = async () => {
    while (!(await readStream().catch(() => false))) {
      failures++;
      await Bun.sleep(50);
    }
  };
  return { seen, failures: () => failures, done: follow() };
}

/** Every event in the database. */
export async function readFeed(node: Callable): Promise<FollowedEvent[]> {
  const response = await node.call("/api/events", { headers: { accept: "application/x-ndjson" } });
  const lines = (await response.text()).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}
