/** Runs the tests and ends with the count alone on a line, for programs that read it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "roster-tests-"));
const report = join(folder, "report.xml");
const asked = Bun.argv.slice(2);
// Two files at a time, since each waits half of its time; each of the two workers keeps its modules and its PostgreSQL. What
// takes long fills the machine by itself.
const workers = asked.some((arg) => arg.endsWith(".slow.ts")) ? [] : ["--parallel=2", "--no-isolate"];
const args = ["test", "--reporter=junit", `--reporter-outfile=${report}`, ...workers, ...asked];
const { exitCode } = Bun.spawnSync([process.execPath, ...args], { stdout: "inherit", stderr: "inherit" });

const totals = /<testsuites [^>]*>/.exec(readFileSync(report, "utf8"))?.[0] ?? "";
const figure = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
rmSync(folder, { recursive: true });

const failed = figure("failures");
const passed = figure("tests") - failed - figure("skipped");
console.log(`${passed} passed, ${failed} failed`);
process.exit(exitCode !== 0 || passed === 0 ? 1 : 0);
