import type { Transform } from "node:stream";

/**
 * Sends parts through a stream of node:zlib, which works on another thread. Yields output as the consumer asks for it, and
 * takes the next part only when the output of the previous one has been consumed.
 */
export async function* sendThrough(
  stream: Transform,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const state: { error?: Error; written: boolean; ended: boolean } = { written: false, ended: false };
  let wake = () => {};
  const readable = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  stream.on("readable", () => wake());
  stream.on("end", () => {
    state.ended = true;
    wake();
  });
  stream.on("error", (error) => {
    state.error = error;
    wake();
  });
  const readUntil = async function* (progress: "written" | "ended") {
    for (;;) {
      for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) yield chunk;
      if (state.error) throw state.error;
      if (state[progress]) return;
      await readable();
    }
  };
  try {
    for await (const part of parts) {
      state.written = false;
      stream.write(part, () => {
        state.written = true;
        wake();
      });
      yield* readUntil("written");
    }
    stream.end();
    yield* readUntil("ended");
  } finally {
    stream.destroy();
  }
}
