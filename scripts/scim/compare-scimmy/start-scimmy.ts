import { join } from "node:path";
import { killAfterTest } from "../../../test/support/process/roster.ts";

/** A server in a process of its own. */
interface ScimmyServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts a server of scimmy on Node.js, which scimmy is made for: its errors depend on the texts of the engine. */
export async function startScimmy(): Promise<ScimmyServer> {
  const child = Bun.spawn(["node", join(import.meta.dir, "scimmy-server.mjs")], {
    stdin: "ignore",
    stdout: "pipe",
    // express prints the stack of each error.
    stderr: "ignore",
  });
  killAfterTest(child);
  for await (const bytes of child.stdout) {
    return {
      url: new TextDecoder().decode(bytes).trim(),
      async [Symbol.asyncDispose]() {
        child.kill();
        await child.exited;
      },
    };
  }
  throw new Error("The server of scimmy has not started.");
}
