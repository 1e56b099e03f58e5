/**
 * Sends requests on many connections without a pause, in its own process, until SIGTERM, and then prints a `BusyReport`:
 * `bun busy-caller.ts URL CONNECTIONS`, with the requests as a JSON array on stdin. After a 429, a connection waits a moment.
 */
import { HttpConnection } from "./http-connection.ts";

/** How often each status came. */
export type BusyReport = Readonly<Record<string, number>>;

const WAIT_AFTER_429_MS = 50;

async function callUntilStopped(url: URL, requests: readonly string[], count: number): Promise<BusyReport> {
  const statuses: Record<string, number> = {};
  let [sent, stopped] = [0, false];
  const note = (status: string) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const next = (connection: HttpConnection) => {
    if (!stopped) connection.send(requests[sent++ % requests.length] ?? "");
  };
  const events = {
    responded(connection: HttpConnection, status: number) {
      note(String(status));
      if (status === 429) setTimeout(() => next(connection), WAIT_AFTER_429_MS);
      else next(connection);
    },
    failed(_: HttpConnection, reason: string) {
      if (!stopped) note(reason);
    },
  };
  const connections = await Promise.all(
    Array.from({ length: count }, () => HttpConnection.open(url, events)),
  );
  for (const connection of connections) next(connection);
  console.log("started");
  await new Promise((resolve) => process.once("SIGTERM", resolve));
  stopped = true;
  for (const connection of connections) connection.close();
  return statuses;
}

/** Runs this script in its own process until `stop` is called. Resolves when it has sent its first requests. */
export async function startBusyCaller(
  url: string,
  requests: readonly string[],
  connections: number,
): Promise<{ stop(): Promise<BusyReport> }> {
  const script = Bun.fileURLToPath(import.meta.url);
  const child = Bun.spawn([process.execPath, script, url, String(connections)], {
    stdin: new Blob([JSON.stringify(requests)]),
    stderr: "inherit",
  });
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await output.read();
  return {
    async stop() {
      child.kill("SIGTERM");
      let text = "";
      for (let part = await output.read(); !part.done; part = await output.read()) text += part.value;
      const report: BusyReport = JSON.parse(text);
      return report;
    },
  };
}

if (import.meta.main) {
  const [url = "", connections = ""] = process.argv.slice(2);
  const requests: string[] = await Bun.stdin.json();
  console.log(JSON.stringify(await callUntilStopped(new URL(url), requests, Number(connections))));
  process.exit();
}
