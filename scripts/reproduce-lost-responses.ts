/**
 * Shows two cases in which Bun.serve runs a handler and then loses its response. See docs/upstream/bun-lost-responses.md.
 * Run: bun scripts/reproduce-lost-responses.ts
 */
import { createServer } from "node:http";
import { connect } from "node:net";

const request = (path: string) => `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;
const cases = [
  { name: "one request", text: request("/a"), halfClose: false, expected: 1 },
  { name: "two requests in one write", text: request("/a") + request("/b"), halfClose: false, expected: 2 },
  { name: "one request, then FIN", text: request("/a"), halfClose: true, expected: 1 },
] as const;

let handled = 0;
/** Takes longer than one turn of the event loop, like a commit to a database. */
async function work(): Promise<string> {
  await Bun.sleep(20);
  handled += 1;
  return "done";
}

const bunServer = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (received) => {
    await received.text();
    return new Response(await work());
  },
});
const nodeServer = createServer((received, response) => {
  received.resume();
  received.on("end", async () => response.end(await work()));
});
// Node.js documents no such property, but reads it; Bun does, too.
Object.assign(nodeServer, { httpAllowHalfOpen: true });
await new Promise<void>((resolve) => nodeServer.listen(0, "127.0.0.1", resolve));
const address = nodeServer.address();
if (address === null || typeof address === "string") throw new Error("The server has no port.");

console.log(`Bun ${Bun.version}`);
for (const [name, port] of [
  ["Bun.serve", bunServer.port ?? 0],
  ["node:http", address.port],
] as const) {
  for (const { name: what, text, halfClose, expected } of cases) {
    handled = 0;
    const responses = await countResponses(port, text, halfClose, expected);
    const verdict = responses === expected ? "complete" : "LOST";
    console.log(`${name}, ${what}: ${handled} handled, ${responses} of ${expected} responses: ${verdict}`);
  }
}
await bunServer.stop(true);
nodeServer.close();

/** Sends the text, and counts the responses until all have arrived or the server closes the connection. */
function countResponses(port: number, text: string, halfClose: boolean, expected: number): Promise<number> {
  return new Promise((resolve) => {
    let received = "";
    const count = () => received.split("HTTP/1.1 200").length - 1;
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    const finish = () => {
      socket.destroy();
      // The handler ends after the connection.
      setTimeout(() => resolve(count()), 100);
    };
    socket.setEncoding("latin1");
    socket.on("data", (data) => {
      received += data;
      if (count() === expected) finish();
    });
    socket.on("end", finish);
    socket.on("error", finish);
    socket.write(text);
    if (halfClose) socket.end();
  });
}
