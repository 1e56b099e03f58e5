import { ApiError, RequestError } from "../errors.ts";
import { wait } from "../transport/timer.ts";

// A module of its own, loaded by the first call of `follow`. At run time it imports only the error classes.

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

interface FollowedPage<Event> {
  readonly items: readonly Event[];
  readonly next: string | undefined;
}

/** Reads pages one after the other, beginning after `start`. A temporary failure only delays the next try. */
export async function* followEvents<Event extends { readonly id: string }>(
  start: () => string | Promise<string>,
  readPage: (after: string) => Promise<FollowedPage<Event>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void> {
  let position: string | undefined;
  let failures = 0;
  for (;;) {
    let page: FollowedPage<Event>;
    try {
      position ??= await start();
      page = await readPage(position);
      failures = 0;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTemporary(error)) throw error;
      await wait(Math.min(FIRST_DELAY_MS * 2 ** failures++, MAX_DELAY_MS), signal);
      continue;
    }
    yield* page.items;
    position = page.items.at(-1)?.id ?? page.next ?? position;
  }
}

/** Whether the same request may succeed later. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof RequestError;
  return error.type !== "quota-exceeded" && [429, 502, 503, 504].includes(error.status);
}
