/**
 * Shows that Bun.serve sends `100 Continue` before the handler runs, even if the handler then refuses the request by its
 * headers. See docs/upstream/bun-early-continue.md. Run: bun scripts/reproduce-early-continue.ts
 */
import { connect } from "node:net";

let continuedBeforeHandler: boolean | undefined;
let received = "";

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch() {
    // The bytes of `100 Continue` need a moment to reach the client.
    await Bun.sleep(200);
    continuedBeforeHandler = received.startsWith("HTTP/1.1 100");
    return new Response("No key.", { status: 401 });
  },
});

await new Promise<void>((resolve, reject) => {
  const socket = connect(server.port ?? 0, "127.0.0.1");
  socket.setEncoding("latin1");
  socket.on("error", reject);
  socket.on("close", () => resolve());
  socket.on("data", (text) => {
    received += text;
    if (received.endsWith("No key.")) socket.destroy();
  });
  socket.write(
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n",
  );
});
await server.stop(true);

const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
console.log(`Bun ${Bun.version}: the client received ${statuses.join(", then ")}.`);
console.log(
  continuedBeforeHandler
    ? "100 Continue was sent before the handler refused the request."
    : "100 Continue was not sent before the handler ran: the limit in docs/api.md no longer applies.",
);
