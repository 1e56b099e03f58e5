/**
 * Checks deploy/prometheus and the real /metrics of both engines with promtool, which comes with Prometheus. Run
 * `npx bun scripts/try-prometheus.ts`. PROMTOOL names the program if it is not on the PATH.
 */
import { join } from "node:path";
import { stopAll } from "../test/support/process/roster.ts";
import { scrapeMetrics } from "../test/support/scrape-metrics.ts";

const folder = join(import.meta.dir, "../deploy/prometheus");
const program = process.env.PROMTOOL ?? Bun.which("promtool");
if (program === null) {
  console.log("Skipped: promtool is not installed (Debian: apt install prometheus).");
  process.exit(0);
}
await check(["check", "rules", join(folder, "alerts.yaml")]);
await check(["test", "rules", join(folder, "alerts.test.yaml")]);
for (const engine of ["sqlite", "postgres"] as const) {
  const metrics = await scrapeMetrics(engine);
  await check(["check", "metrics"], metrics);
  console.log(`promtool accepts the metrics on ${engine}: ${metrics.split("\n").length} lines.`);
}
await stopAll();
process.exit();

async function check(args: readonly string[], input = ""): Promise<void> {
  const child = Bun.spawn([program ?? "", ...args], {
    stdin: new Blob([input]),
    stdout: "inherit",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error(`promtool ${args.join(" ")} fails.`);
}
