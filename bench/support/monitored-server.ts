import type { MonitorMessage } from "../../test/support/process/monitored-process.ts";

/** A service in its own process, which measures the turns of its event loop. Disposing of it stops it. */
export interface MonitoredServer extends AsyncDisposable {
  readonly url: string;
  /** The CPU time of the longest turn since the last call, in milliseconds. A millisecond more at most. */
  takeLongestTurn(): Promise<number>;
}

export async function startMonitoredServer(
  database: string,
  flags: readonly string[],
): Promise<MonitoredServer> {
  const main = Bun.fileURLToPath(new URL("../../test/support/process/monitored-process.ts", import.meta.url));
  const started = Promise.withResolvers<string>();
  let measured = Promise.withResolvers<number>();
  const child = Bun.spawn([process.execPath, main, "--port=0", `--database=${database}`, ...flags], {
    // The caller's environment must not change the measurement.
    env: { PATH: process.env.PATH },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
    ipc(message: MonitorMessage) {
      if ("url" in message) started.resolve(message.url);
      else if ("longestMs" in message) measured.resolve(message.longestMs);
    },
  });
  void child.exited.then(() => started.reject(new Error("The service exited before it listened.")));
  return {
    url: await started.promise,
    takeLongestTurn() {
      measured = Promise.withResolvers();
      child.send("measure");
      return measured.promise;
    },
    async [Symbol.asyncDispose]() {
      child.send("stop");
      await child.exited;
    },
  };
}
