import type { Stream } from "./stream.ts";

/** Production pauses while the caller has this much to read. */
const MAX_UNREAD_BYTES = 262_144;
/** Larger parts are sent in pieces: the service notices each piece that the caller reads. */
const PIECE_BYTES = 65_536;
const POLL_MS = 20;

interface ResponseStreamHooks {
  /** Receives the error that cuts off the response. */
  onError(error: unknown): void;
  /** The caller does not read the response: its connection has to be closed. */
  onAbort(): void;
}

/**
 * Streams the parts as the caller reads them, and stops when the caller disconnects. Waits for the first part: errors
 * before it reject the promise, and can become a problem response. A later error goes to `onError` and aborts the
 * response after the parts before it, so the caller sees that the response is incomplete. Ends the stream in any case.
 */
export async function openResponseStream(
  stream: Stream,
  parts: AsyncGenerator<Uint8Array, void>,
  { onError, onAbort }: ResponseStreamHooks,
  maxUnreadBytes: number = MAX_UNREAD_BYTES,
): Promise<ReadableStream<Uint8Array>> {
  let first: IteratorResult<Uint8Array, void> | undefined;
  try {
    first = await parts.next();
  } catch (error) {
    stream.end();
    throw error;
  }
  /** How many bytes the queue could take when the wait for the caller began. */
  let roomBefore: number | undefined;
  const waitForReader = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    roomBefore = controller.desiredSize ?? 0;
    stream.waitForReader(MAX_UNREAD_BYTES + PIECE_BYTES, () => {
      onAbort();
      controller.error();
      void parts.return();
    });
  };
  let disconnected = false;
  /** The rest of a part of which a piece has been sent. */
  let rest: Uint8Array = new Uint8Array();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (roomBefore !== undefined) stream.endReaderWait((controller.desiredSize ?? 0) - roomBefore);
        roomBefore = undefined;
        try {
          if (rest.length === 0) {
            const { done, value } = first ?? (await parts.next());
            first = undefined;
            if (done) {
              stream.end();
              return controller.close();
            }
            rest = value;
          }
          // The caller may have disconnected during the wait.
          if (disconnected) return;
          controller.enqueue(rest.subarray(0, PIECE_BYTES));
          rest = rest.subarray(PIECE_BYTES);
          if ((controller.desiredSize ?? 0) > 0) return;
          waitForReader(controller);
        } catch (error) {
          if (!disconnected) onError(error);
          // controller.error() discards parts that the caller has not read: wait until they are sent.
          waitForReader(controller);
          do await Bun.sleep(POLL_MS);
          while (!disconnected && (controller.desiredSize ?? maxUnreadBytes) < maxUnreadBytes);
          stream.end();
          // Without an argument: Bun would print the error.
          controller.error();
        }
      },
      async cancel() {
        disconnected = true;
        stream.end();
        await parts.return();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  );
}
