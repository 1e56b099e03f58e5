import { bulkLimits } from "../../contract/bulk.ts";
import { ProblemError } from "../../domain/problem-error.ts";

/** Production pauses while the caller has this much to read. */
const MAX_UNREAD_BYTES = 262_144;
const POLL_MS = 20;

/** Opens the response streams of imports and exports. Limits their number: each needs some megabytes. */
export class ResponseStreams {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Streams the parts as the caller reads them, and stops when the caller disconnects. Waits for the first part: errors
   * before it reject the promise, and can become a problem response. A later error goes to `onError` and aborts the
   * stream after the parts before it, so the caller sees that the response is incomplete. Throws `unavailable` if too
   * many streams are open.
   */
  async open(
    parts: AsyncGenerator<Uint8Array, void>,
    onError: (error: unknown) => void,
    maxUnreadBytes: number = MAX_UNREAD_BYTES,
  ): Promise<ReadableStream<Uint8Array>> {
    if (this.#count >= bulkLimits.streams) {
      throw new ProblemError("unavailable", "Too many imports and exports are running. Try again shortly.");
    }
    this.#count++;
    let ended = false;
    const end = () => {
      if (!ended) this.#count--;
      ended = true;
    };
    let first: IteratorResult<Uint8Array, void> | undefined;
    try {
      first = await parts.next();
    } catch (error) {
      end();
      throw error;
    }
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = first ?? (await parts.next());
            first = undefined;
            // The caller may have disconnected during the wait.
            if (ended) return;
            if (!done) return controller.enqueue(value);
            end();
            controller.close();
          } catch (error) {
            if (!ended) onError(error);
            // controller.error() discards parts that the caller has not read: wait until they are sent.
            do await Bun.sleep(POLL_MS);
            while (!ended && (controller.desiredSize ?? maxUnreadBytes) < maxUnreadBytes);
            end();
            // Without an argument: Bun would print the error.
            controller.error();
          }
        },
        async cancel() {
          end();
          await parts.return();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
    );
  }
}
