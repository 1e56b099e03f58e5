import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { root } from "./paths.ts";

const quiet = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** A headless Chromium: the one from npm, so that a machine needs none of its own; an installed one if that cannot start. */
export async function openBrowser(): Promise<Browser> {
  const failures: unknown[] = [];
  for (const candidate of [fromPackage, installed]) {
    try {
      return await candidate();
    } catch (failure) {
      failures.push(failure);
    }
  }
  throw new AggregateError(failures, "no Chromium starts here");
}

async function fromPackage(): Promise<Browser> {
  const folder = await unpacked();
  const executable = join(folder, "chromium");
  try {
    return await launch(executable);
  } catch {
    // Bare machines lack libraries and fonts that every desktop has: the package carries them.
    const bare = { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_PATH: join(folder, "fonts") };
    return await launch(executable, bare);
  }
}

function installed(): Promise<Browser> {
  return launch(process.env.CHROMIUM_PATH ?? "/usr/bin/chromium");
}

function launch(executablePath: string, env: Record<string, string> = {}): Promise<Browser> {
  // Chromium's sandbox refuses to be started by root, as in most containers.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args: [...quiet, ...sandbox], env: { ...process.env, ...env } });
}

/**
 * The package unpacks itself into the temporary folder and takes whatever lies there for finished. So that it meets neither
 * another version nor another process halfway through, it gets a folder of its own, moved into place when it is whole.
 */
async function unpacked(): Promise<string> {
  const entry = import.meta.resolve("@sparticuz/chromium");
  const { version } = await Bun.file(new URL("../../../package.json", entry)).json();
  const cache = join(root, "node_modules", ".cache");
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(`${folder}-`);
  const unpacking = Bun.spawn(
    [process.execPath, "-e", `await (await import("${entry}")).default.executablePath()`],
    {
      // Only where it believes itself on Amazon's Linux does the package unpack the libraries too.
      env: { ...process.env, TMPDIR: making, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" },
      stderr: "pipe",
    },
  );
  if ((await unpacking.exited) !== 0) throw new Error(await new Response(unpacking.stderr).text());
  await rename(making, folder).catch(async (failure) => {
    await rm(making, { recursive: true });
    if (!existsSync(folder)) throw failure;
  });
  return folder;
}
