import { bulkLimits } from "../../contract/bulk.ts";
import { Refusal } from "../../domain/refusal.ts";

/** Of what a caller has not read yet, so much waits for it before the work does. */
const UNREAD_BYTES = 1_048_576;

/** The imports and exports under way, and the most that may be: each needs some megabytes. */
export class Streams {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * The parts as a stream, made as they are read, and not made any more when nobody reads them. What fails in between
   * breaks the stream off, so that nobody takes it for whole. The first part is waited for: until then, a failure can
   * still be told as a problem. Fails with `unavailable` when there are too many streams.
   */
  async open(
    parts: AsyncGenerator<Uint8Array, void>,
    unreadBytes: number = UNREAD_BYTES,
  ): Promise<ReadableStream<Uint8Array>> {
    if (this.#count >= bulkLimits.streams) {
      throw new Refusal("unavailable", "Too many imports and exports are under way: try again shortly.");
    }
    this.#count++;
    const end = () => {
      this.#count--;
    };
    try {
      let first: IteratorResult<Uint8Array, void> | undefined = await parts.next();
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            try {
              const { done, value } = first ?? (await parts.next());
              first = undefined;
              if (!done) return controller.enqueue(value);
              end();
              controller.close();
            } catch (error) {
              end();
              controller.error(error);
            }
          },
          async cancel() {
            end();
            await parts.return();
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: unreadBytes }),
      );
    } catch (error) {
      end();
      throw error;
    }
  }
}
