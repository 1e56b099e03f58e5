/** Baseline: `Bun.serve` with a constant response. */
const body = process.argv[2] ?? "";
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(body, { headers: { "content-type": "application/json" } }),
});
console.log(server.url.origin);
