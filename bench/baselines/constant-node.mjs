/** Baseline: `node:http` with a constant response. */
import { createServer } from "node:http";

const body = process.argv[2] ?? "";
const length = Buffer.byteLength(body);
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": length }).end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
