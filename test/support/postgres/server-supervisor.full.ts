import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../until.ts";
import { isAnyRunning } from "./processes.ts";

test("killing the tests with kill -9 stops the server and removes its data", async () => {
  const program = `
    const { startPostgres } = await import(${JSON.stringify(join(import.meta.dir, "server.ts"))});
    const { pid, folder } = await startPostgres();
    console.log(JSON.stringify({ pid, folder }));
    await Bun.sleep(60_000);
  `;
  const tests = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  const { value = [] } = await tests.stdout.getReader().read();
  const { pid, folder }: { pid: number; folder: string } = JSON.parse(Buffer.from(value).toString());
  expect([isAnyRunning([pid]), existsSync(folder)]).toEqual([true, true]);

  tests.kill("SIGKILL");
  await until(() => !isAnyRunning([pid]) && !existsSync(folder));
}, 90_000);
