import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { root } from "../support/paths.ts";
import { killAfterTest, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

/** Starts npm in the repository. Its registry does not exist: npm must not download anything. */
function startNpm(args: readonly string[], { terminal }: { terminal: boolean }) {
  const folder = temporaryFolder();
  let output = "";
  const terminalClosed = Promise.withResolvers<void>();
  const read = (bytes: Uint8Array) => {
    output += Buffer.from(bytes).toString();
  };
  const child = Bun.spawn(["npm", ...args, "--port=0", `--database=${join(folder, "roster.db")}`], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      NO_COLOR: "1",
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_fetch_retries: "0",
      npm_config_update_notifier: "false",
    },
    ...(terminal
      ? { terminal: { data: (_, bytes) => read(bytes), exit: () => terminalClosed.resolve() } }
      : { stdin: "ignore", stdout: "pipe", stderr: "inherit" }),
  });
  killAfterTest(child);
  const { stdout } = child;
  const readAll = async () => {
    if (!(stdout instanceof ReadableStream)) return await terminalClosed.promise;
    for await (const bytes of stdout) read(bytes);
  };
  const outputEnded = readAll();
  const readUrl = async () => {
    const find = () => {
      if (child.exitCode !== null) throw new Error(`npm ended with ${child.exitCode}: ${output}`);
      return /is ready[\s\S]+console\W+(http:\/\/[\w.:]+)[\s\S]+access/.exec(output)?.[1];
    };
    return until(find, () => output);
  };
  /** Waits for npm and for the service to end, and counts how often the service has stopped. */
  const countStops = async () => {
    await child.exited;
    // A terminal may stay open.
    await Promise.race([outputEnded, until(() => output.includes("stopped"))]);
    return output.match(/stopped/g)?.length ?? 0;
  };
  return { child, readUrl, countStops };
}

const isReachable = (url: string) => fetch(`${url}/healthz`).then(Boolean, () => false);

describe.each(["start", "run dev"])("npm %s", (script) => {
  const command = [...script.split(" "), "--"];

  test("stops the service on SIGTERM to npm, with exit code 0 and a free port", async () => {
    const { child, readUrl, countStops } = startNpm(command, { terminal: false });
    const url = await readUrl();
    child.kill("SIGTERM");
    await child.exited;
    expect([child.exitCode, child.signalCode]).toEqual([0, null]);
    expect(await countStops()).toBe(1);
    expect(await isReachable(url)).toBe(false);
  });

  test("stops the service once on Ctrl+C", async () => {
    const { child, readUrl, countStops } = startNpm(command, { terminal: true });
    const url = await readUrl();
    child.terminal?.write("\x03");
    await child.exited;
    expect([child.exitCode, child.signalCode]).toEqual([0, null]);
    expect(await countStops()).toBe(1);
    expect(await isReachable(url)).toBe(false);
  });
});

// npm runs the command in a shell, and dash does not pass signals on: npm exits with SIGTERM, and the service stops by itself.
describe("npx in the repository", () => {
  test.each(["roster", "rosterd"])(
    "runs the repository's own command %s, and stops it on SIGTERM",
    async (command) => {
      const { child, readUrl, countStops } = startNpm(["exec", "--", command], { terminal: false });
      const url = await readUrl();
      child.kill("SIGTERM");
      expect(await countStops()).toBe(1);
      expect(await isReachable(url)).toBe(false);
    },
  );

  test("stops the service once on Ctrl+C", async () => {
    const { child, readUrl, countStops } = startNpm(["exec", "--", "roster"], { terminal: true });
    const url = await readUrl();
    child.terminal?.write("\x03");
    await child.exited;
    expect(await countStops()).toBe(1);
    expect(await isReachable(url)).toBe(false);
  });
});
