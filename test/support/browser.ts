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

/** The fonts that a browser can use: those of the Chromium package alone, or those of the machine. */
export type Fonts = "packaged" | "machine";

/** Starts a headless Chromium: the one from npm, or an installed one if that fails. */
export async function openBrowser(fonts: Fonts = "packaged"): Promise<Browser> {
  const folder = await unpackChromium();
  const env: Record<string, string> =
    fonts === "packaged" ? { FONTCONFIG_FILE: await configurePackagedFonts(folder) } : {};
  const executable = join(folder, "chromium");
  const candidates = [
    () => launch(executable, env),
    // Bare machines lack libraries that Chromium needs. The package contains them.
    () => launch(executable, { ...env, LD_LIBRARY_PATH: join(folder, "al2023", "lib") }),
    () => launch(process.env.CHROMIUM_PATH ?? "/usr/bin/chromium", env),
  ];
  const failures: unknown[] = [];
  for (const candidate of candidates) {
    try {
      return await candidate();
    } catch (failure) {
      failures.push(failure);
    }
  }
  throw new AggregateError(failures, "Chromium does not start on this machine.");
}

function launch(executablePath: string, env: Record<string, string>): Promise<Browser> {
  // Chromium's sandbox does not work for root, the usual user in containers.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args: [...quiet, ...sandbox], env: { ...process.env, ...env } });
}

/**
 * Writes a fontconfig file that names only the package's fonts: its own `fonts.conf` names folders that do not exist here.
 * Each process writes the file, because it contains absolute paths and the checkout may have been moved.
 */
async function configurePackagedFonts(folder: string): Promise<string> {
  const file = join(folder, "packaged-fonts.conf");
  const partial = `${file}.${process.pid}`;
  await Bun.write(
    partial,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${Bun.escapeHTML(join(folder, "fonts", "fonts"))}</dir>
  <cachedir>${Bun.escapeHTML(join(folder, "font-cache"))}</cachedir>
</fontconfig>
`,
  );
  await rename(partial, file);
  return file;
}

/**
 * Unpacks the package into node_modules/.cache, once per version. The package itself unpacks into the temporary folder and
 * reuses any files that it finds there, even incomplete ones; so it gets an empty folder, moved into place when complete.
 */
async function unpackChromium(): Promise<string> {
  const entry = import.meta.resolve("@sparticuz/chromium");
  const { version } = await Bun.file(new URL("../../package.json", entry)).json();
  const cache = join(root, "node_modules", ".cache");
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  const unpacking = Bun.spawn(
    [process.execPath, "-e", `await (await import("${entry}")).default.executablePath()`],
    {
      // The package unpacks its libraries only on AWS Lambda.
      env: { ...process.env, TMPDIR: partial, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" },
      stderr: "pipe",
    },
  );
  if ((await unpacking.exited) !== 0) throw new Error(await new Response(unpacking.stderr).text());
  await rename(partial, folder).catch(async (failure) => {
    await rm(partial, { recursive: true });
    if (!existsSync(folder)) throw failure;
  });
  return folder;
}
