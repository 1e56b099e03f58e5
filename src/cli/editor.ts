import { spawn } from "node:child_process";
import { ConfigError, type Environment } from "../config/config.ts";

const WINDOWS = process.platform === "win32";

/** Opens a file in the editor of VISUAL or EDITOR, and waits until it is closed. Throws a `ConfigError` if the editor fails. */
export async function openEditor(path: string, env: Environment): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || (WINDOWS ? "notepad" : "vi");
  // A shell splits the options of the editor: `code --wait`.
  const [shell, ...args] = WINDOWS
    ? ["cmd", "/d", "/s", "/c", `"${editor} "${path}""`]
    : ["sh", "-c", `${editor} "$1"`, "sh", path];
  const options = { stdio: "inherit", env: { ...env }, windowsVerbatimArguments: true } as const;
  // Ctrl+C in the editor is for the editor.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      spawn(shell ?? "", args, options)
        .on("error", reject)
        .on("exit", resolve);
    });
    if (code !== 0) {
      throw new ConfigError(
        `The editor failed: ${editor}. Set VISUAL or EDITOR to your editor, like EDITOR="code --wait".`,
      );
    }
  } finally {
    process.off("SIGINT", ignore);
  }
}
