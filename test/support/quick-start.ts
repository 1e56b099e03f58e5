import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { root } from "./paths.ts";
import {
  type CommandResult,
  type Roster,
  runCommand,
  startRoster,
  temporaryFolder,
} from "./process/roster.ts";

const page = readFileSync(join(root, "docs/quick-start.md"), "utf8");

/** The first code block in this language below a heading of docs/quick-start.md. */
export function quickStartBlock(heading: string, language: string): string {
  const [, section = ""] = page.split(`# ${heading}\n`);
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(section)?.[1] ?? "";
}

/** The lines that every program prints. */
export const quickStartOutput = quickStartBlock("Quick start", "text");

const key = createSecret();
let service: Promise<Roster> | undefined;

/** Runs a program of docs/quick-start.md in a folder, on a service that requires a key, which all programs share. */
export async function runQuickStart(
  program: string,
  file: string,
  command: string[],
  cwd = temporaryFolder(),
): Promise<CommandResult> {
  service ??= startRoster(join(temporaryFolder(), "roster.db"), { env: { ROSTER_API_KEY: key } });
  const { url } = await service;
  writeFileSync(join(cwd, file), program);
  return runCommand([...command, file], {
    cwd,
    // Go keeps compiled packages in the home folder.
    env: { ROSTER_URL: url, ROSTER_API_KEY: key, HOME: process.env.HOME ?? cwd },
  });
}
