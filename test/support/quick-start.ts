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

/** The last code block of docs/quick-start.md in this language. */
function blockOf(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))];
  return blocks.at(-1)?.[1] ?? "";
}

/** The lines that every program prints. */
export const quickStartOutput = blockOf("text");

const key = createSecret();
let service: Promise<Roster> | undefined;

/** Runs a program of docs/quick-start.md on a service that requires a key, which all programs share. */
export async function runQuickStart(
  language: string,
  file: string,
  command: string[],
): Promise<CommandResult> {
  const cwd = temporaryFolder();
  service ??= startRoster(join(cwd, "roster.db"), { env: { ROSTER_API_KEY: key } });
  const { url } = await service;
  // The package is not installed here.
  const client = JSON.stringify(join(root, "src/client/index.ts"));
  writeFileSync(join(cwd, file), blockOf(language).replace('"roster-client"', client));
  return runCommand([...command, file], {
    cwd,
    // Go keeps compiled packages in the home folder.
    env: { ROSTER_URL: url, ROSTER_API_KEY: key, HOME: process.env.HOME ?? cwd },
  });
}
