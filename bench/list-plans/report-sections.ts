import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import type { MeasuredList, PlanFigures } from "./measure-plans.ts";

export interface ReportSection {
  /** The name of a file in the folder of benchmarks. */
  readonly file: string;
  readonly engine: string;
  readonly users: number;
  readonly body: string;
}

/** Replaces the section of this engine and size in a file of figures, or adds it. */
export function writeSection({ file, engine, users, body }: ReportSection): void {
  const path = join(import.meta.dir, "..", file);
  const title = `## ${engine}, ${users.toLocaleString("en-US")} users`;
  const [introduction = "", ...sections] = (existsSync(path) ? readFileSync(path, "utf8") : "").split(
    /^(?=## )/m,
  );
  const others = sections.filter((other) => !other.startsWith(`${title}\n`));
  const all = [...others.map((other) => `${other.trimEnd()}\n`), `${title}\n\n${body}\n`].sort(bySection);
  writeFileSync(path, `${introduction.trimEnd()}\n\n${all.join("\n")}`);
}

/** By engine, then by number of users. */
function bySection(a: string, b: string): number {
  const [[engineA, usersA], [engineB, usersB]] = [keyOf(a), keyOf(b)];
  return engineA === engineB ? usersA - usersB : engineA > engineB ? -1 : 1;
}

function keyOf(section: string): [engine: string, users: number] {
  const [, engine = "", users = ""] = /^## (\w+), ([\d,]+)/.exec(section) ?? [];
  return [engine, Number(users.replaceAll(",", ""))];
}

/** Says how the figures of a section were measured. */
export function describeRun(
  script: string,
  { users, rounds, milliseconds }: { users: number; rounds: number; milliseconds: number },
): string {
  return `\`npm run bench -- ${script} -- --users ${users}\`: the lowest of ${rounds} batches of ${milliseconds} ms, in µs of CPU time per request. Load average
at the end: ${loadavg()[0]?.toFixed(1)}.`;
}

/** Fails the script if Roster found other pages than the scan. */
export function reportDifferences(figures: readonly (MeasuredList & PlanFigures)[]): void {
  const differing = figures.filter(({ differs }) => differs).map(({ name }) => name);
  if (differing.length > 0)
    console.error(`Roster returns fewer or other users than the scan: ${differing.join("; ")}`);
  process.exitCode = differing.length > 0 ? 1 : 0;
}

export function formatMicros(micros: number | undefined): string {
  return micros?.toFixed(1) ?? "";
}

export function formatRatio(ratio: number | undefined): string {
  return ratio?.toFixed(2) ?? "";
}
