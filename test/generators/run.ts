/**
 * Generates a client with each OpenAPI generator, compiles it, and creates, reads, updates, lists and deletes users with it.
 * Checks that a generator needs what docs/api.md says. Then checks the score that vacuum gives the description. Installs the generators into a folder for temporary files. Skips
 * what needs a missing program, with the reason, and ends with a count.
 *
 *   npm run test:generators [name …]
 *
 * VACUUM is the path of vacuum (github.com/daveshanley/vacuum), if it is not in PATH.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeApi } from "../../src/contract/openapi.ts";
import { startService } from "../support/service.ts";
import {
  briefDescription,
  cache,
  description,
  type Generator,
  generators,
  type Requirement,
  requirements,
} from "./generators.ts";

const MIN_SCORE = 90;
const expected = {
  read: "ada@example.com",
  department: "engines",
  version: 2,
  pages: [2, 1],
  problem: "/problems/user-not-found",
};

interface Check {
  readonly name: string;
  /** Missing programs. */
  readonly missing: readonly string[];
  /** Returns the error, or an empty text. */
  readonly run: () => Promise<string>;
}

const vacuum = process.env.VACUUM ?? Bun.which("vacuum");
const checks: readonly Check[] = [
  ...generators.map((generator) => ({
    name: generator.name,
    missing: generator.needs.filter((program) => Bun.which(program) === null),
    run: () => tryGenerator(generator),
  })),
  {
    name: "vacuum",
    missing: vacuum ? [] : ["vacuum (in PATH or VACUUM)"],
    run: () => checkScore(vacuum ?? "vacuum"),
  },
];

const requested = Bun.argv.slice(2);
const unknown = requested.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  console.log(`Unknown: ${unknown.join(", ")}. Choose from: ${checks.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
mkdirSync(cache, { recursive: true });
writeFileSync(description, JSON.stringify(describeApi("1.2.3")));
writeFileSync(briefDescription, JSON.stringify(describeApi("1.2.3", undefined, { brief: true })));
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const { name, missing, run } of checks) {
  if (requested.length > 0 && !requested.includes(name)) continue;
  if (missing.length > 0) {
    report("skipped", name, `not installed: ${missing.join(", ")}`);
    continue;
  }
  const error = await run();
  report(error ? "failed" : "passed", name, error);
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);

function report(outcome: keyof typeof counts, name: string, detail: string): void {
  counts[outcome]++;
  console.log(`${outcome.padEnd(8)} ${name}${detail && `: ${detail}`}`);
}

async function tryGenerator({ name, tool, client, build, run }: Generator): Promise<string> {
  const [file, target] = client;
  const folder = join(cache, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(join(folder, target)), { recursive: true });
  cpSync(join(import.meta.dir, "clients", file), join(folder, target));
  for (const command of build) {
    const { code, output } = await runShell(command, folder);
    if (code !== 0) return `exit code ${code} of ${command}\n${output.slice(-4000)}`;
  }
  const { needs, stated }: Requirement = requirements[tool];
  for (const [command, says] of stated) {
    const { output } = await runShell(command, folder);
    if (!output.includes(says)) return `docs/api.md says ${needs}, and the package says ${output.trim()}`;
  }
  const service = await startService();
  try {
    const { code, output } = await runShell(`${run} ${service.url}`, folder);
    const isExpected = code === 0 && Bun.deepEquals(parseJson(output), expected);
    return isExpected ? "" : `exit code ${code} of ${run}\n${output.slice(-4000)}`;
  } finally {
    await service.stop();
  }
}

async function checkScore(program: string): Promise<string> {
  const { code, output } = await runShell(`"${program}" report --stdout --no-pretty ${description}`, cache);
  const score = Object(parseJson(output)).statistics?.overallScore;
  if (code !== 0 || typeof score !== "number") return `exit code ${code}\n${output.slice(-4000)}`;
  return score >= MIN_SCORE ? "" : `the score is ${score}, and ${MIN_SCORE} is required`;
}

/** Returns undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function runShell(command: string, cwd: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(["sh", "-c", `{ ${command}\n} 2>&1`], { cwd, stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  return { code: await child.exited, output };
}
