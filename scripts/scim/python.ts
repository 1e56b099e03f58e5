/** The Python programs of this folder, in a virtual environment with the packages that they need. */
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the packages of `requirements.txt` need. */
const OLDEST = { major: 3, minor: 11 };

const requirements = join(import.meta.dir, "requirements.txt");
const folder = join(tmpdir(), "roster-scim-python");
const python = join(folder, "bin", "python");
const installed = join(folder, "installed.txt");

/** The Python of the virtual environment, which is made if necessary, or what is missing. */
export function preparePython(): { readonly python: string } | { readonly missing: string } {
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(requirements))) return { python };
  const { major, minor } = OLDEST;
  const isNewEnough = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${major}, ${minor}))`;
  if (Bun.which("python3") === null || !succeeds(["python3", "-c", isNewEnough]))
    return { missing: `install Python ${major}.${minor} or later as python3, with venv and pip` };
  rmSync(folder, { recursive: true, force: true });
  for (const command of [
    ["python3", "-m", "venv", folder],
    [python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", requirements],
    [python, "-m", "pip", "check"],
  ])
    if (!succeeds(command)) throw new Error(`This command fails: ${command.join(" ")}`);
  copyFileSync(requirements, installed);
  return { python };
}

function succeeds(command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stdout: 2, stderr: "inherit" }).success;
}

export interface PythonRun {
  readonly python: string;
  /** A program of this folder. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Gets each line of the output. */
  readonly onLine: (line: string) => void;
}

/** Runs a program of this folder, and returns its exit code. Nothing but the arguments, `env` and the input decides what it does. */
export async function runPython({
  python,
  program,
  args = [],
  env,
  input = "",
  onLine,
}: PythonRun): Promise<number> {
  const child = Bun.spawn([python, join(import.meta.dir, program), ...args], {
    env: {
      PATH: process.env.PATH ?? "",
      PYTHONHASHSEED: "0",
      PYTHONUTF8: "1",
      PYTHONDONTWRITEBYTECODE: "1",
      ...env,
    },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "inherit",
  });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of child.stdout) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  }
  if (rest !== "") onLine(rest);
  return await child.exited;
}
