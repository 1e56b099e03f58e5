import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Command } from "../../../../src/cli/command.ts";
import { describeError } from "../../../../src/cli/describe-error.ts";
import { fakeScreen } from "../../support/fake-screen.ts";

/** A folder for the files of a test; a test removes it at its end. */
export function importFolder() {
  const path = mkdtempSync(join(tmpdir(), "roster-import-"));
  return { path, remove: () => rmSync(path, { recursive: true }) };
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface ImportRun {
  readonly folder: string;
  readonly url: string;
  readonly from: string;
  /** The export. */
  readonly text: string;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

/** Runs a command that imports the export of another system in this process. */
export async function runImport(
  command: Command,
  { folder, url, from, text, args = [], env = {} }: ImportRun,
): Promise<Ran> {
  const file = join(folder, "export");
  writeFileSync(file, text);
  const [stdout, stderr] = [fakeScreen(false), fakeScreen(false)];
  const before = process.exitCode;
  process.exitCode = 0;
  let error = "";
  let code = 0;
  try {
    await command.run([file, "--from", from, "--url", url, ...args], {
      env: { HOME: folder, ...env },
      stdin: Object.assign(Readable.from([]), process.stdin),
      stdout: stdout.screen,
      stderr: stderr.screen,
    });
    code = Number(process.exitCode);
  } catch (thrown) {
    error = describeError(thrown);
    code = 2;
  } finally {
    process.exitCode = before ?? 0;
  }
  return { code, stdout: stdout.written.join(""), stderr: stderr.written.join("") + error };
}
