import { bulkLimits } from "../../contract/bulk.ts";
import { ProblemError } from "../../domain/problem-error.ts";

/** Of what a caller has not read yet, so much waits for it before the work does. */
const UNREAD_BYTES = 262_144;
/** How long to wait before looking again whether a caller has read all. */
const LOOK_AGAIN_MS = 20;

/** The imports and exports under way, and the most that may be: each needs some megabytes. */
export class ResponseStreams {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * The parts as a stream, made as they are read, and not made any more when nobody reads them. What fails in between
   * breaks the stream off, after the parts before it, so that nobody takes it for whole, and is told to `broken`. The first
   * part is waited for: until then, a failure can still be told as a problem. Fails with `unavailable` when there are too
   * many streams.
   */
  async open(
    parts: AsyncGenerator<Uint8Array, void>,
    broken: (error: unknown) => void,
    unreadBytes: number = UNREAD_BYTES,
  ): Promise<ReadableStream<Uint8Array>> {
    if (this.#count >= bulkLimits.streams) {
      throw new ProblemError("unavailable", "Too many imports and exports are under way: try again shortly.");
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
            // Whoever has gone meanwhile wants neither this nor an end.
            if (ended) return;
            if (!done) return controller.enqueue(value);
            end();
            controller.close();
          } catch (error) {
            if (!ended) broken(error);
            // Breaking it off would take away what is still to be read, or just about to be sent.
            do await Bun.sleep(LOOK_AGAIN_MS);
            while (!ended && (controller.desiredSize ?? unreadBytes) < unreadBytes);
            end();
            // Bun would print what it is told.
            controller.error();
          }
        },
        async cancel() {
          end();
          await parts.return();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: unreadBytes }),
    );
  }
}
