import { readConfig } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import type { Command } from "../command.ts";
import { fail } from "../fail.ts";
import { type Colour, paint } from "../output/colour.ts";
import { findUnknownVariables } from "../unknown-variables.ts";

export const serve: Command = {
  flags: settings,
  examples: [
    "roster",
    "roster serve --port 8080 --database /var/lib/roster/roster.db",
    "DATABASE_URL=postgres://roster@db.example/roster roster serve",
  ],

  async run(args, { env, stdout }) {
    const config = readConfig(args, env);
    // Loaded late: `roster --help` loads this file for its options.
    const { startService } = await import("../../serve.ts");
    const output = {
      write: (line: string) => stdout.write(line),
      terminal: stdout.isTTY,
      paint: (colour: Colour, text: string) => paint(stdout, colour, text),
    };
    const starting = startService(config, output, findUnknownVariables(env));
    // SIGHUP: the terminal was closed.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, async () => {
        // `await starting` below reports a failed start.
        const service = await starting.catch(() => undefined);
        await service?.stop().catch(() => fail("The service did not stop cleanly. See the log.", 1));
        process.exit(0);
      });
    }
    await starting;
  },
};
