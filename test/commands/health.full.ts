import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { serve } from "bun";
import { runRoster, stopAll } from "../support/process/roster.ts";
import { testTls } from "../support/tls.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

test("says why the service is not ready, with exit code 6, also over HTTPS", async () => {
  const detail = "The disk is full.";
  const sick = serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert: Bun.file(testTls.settings.tlsCert), key: Bun.file(testTls.settings.tlsKey) },
    fetch: (request) =>
      request.url.endsWith("/readyz")
        ? Response.json({ detail }, { status: 503 })
        : Response.json({ status: "ok" }),
  });
  const args = ["health", `--port=${sick.port}`, `--tls-cert=${testTls.settings.tlsCert}`];
  expect(await runRoster(args)).toMatchObject({
    code: 6,
    stdout: "",
    stderr: `roster: https://127.0.0.1:${sick.port}/readyz responds with 503: ${detail}\n`,
  });
  expect(await runRoster([...args, "--live"])).toMatchObject({ code: 0, stdout: "ok\n" });
  await sick.stop(true);
  const stopped = await runRoster(args);
  expect(stopped).toMatchObject({ code: 6, stdout: "" });
  expect(stopped.stderr).toContain("does not respond. Start the service");
});

test("rejects port 0, with exit code 2", async () => {
  const ran = await runRoster(["health", "--port=0"]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("set --port to the port") });
});
