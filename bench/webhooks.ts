/** Deliveries per second to a webhook of a local receiver, from one node. */
import { startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { readCpuSeconds, readMemory } from "./support/process-usage.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { print, verdict } from "./support/table.ts";

const TARGET = 1000;
const { numbers, json } = readOptions({ events: 20_000 });
const { events } = numbers;

using folder = new ScratchFolder();
await using service = await startService(folder.file("roster.db"), ["--webhook-private=allow"]);
let received = 0;
let firstAt = 0;
const done = Promise.withResolvers<number>();
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await request.arrayBuffer();
    firstAt ||= performance.now();
    if (++received === events) done.resolve(performance.now());
    return new Response(null, { status: 204 });
  },
});
const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `{"name":"User ${n}","level":${n}}`).join("\n");
const post = (path: string, type: string, body: string) =>
  fetch(service.url + path, { method: "POST", headers: { "content-type": type }, body }).then((response) =>
    response.text(),
  );
await post(
  "/api/webhooks",
  "application/json",
  JSON.stringify({ url: String(receiver.url), types: ["user.*"] }),
);
const before = readCpuSeconds(service.pid);
await post("/api/users/import", "application/x-ndjson", lines(events));
const seconds = ((await done.promise) - firstAt) / 1000;
const rate = events / seconds;
const cpuMicros = ((readCpuSeconds(service.pid) - before) * 1e6) / events;
const { peak } = readMemory(service.pid);
const met = rate >= TARGET;
print(json, { events, rate, cpuMicros, peak, target: TARGET, met }, [
  ["deliveries", "per second", "target", "", "CPU µs (with the import)", "peak MB"],
  [String(events), rate.toFixed(0), `≥ ${TARGET}`, verdict(met), cpuMicros.toFixed(0), peak.toFixed(0)],
]);
await receiver.stop(true);
