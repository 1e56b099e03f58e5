import { readConfig } from "../../config/config.ts";
import { settings } from "../../config/settings.ts";
import { type Command, describeFlags } from "../command.ts";
import { fail } from "../fail.ts";

export const serve: Command = {
  flags: settings,
  help: `Options, each also a variable of the environment:
${describeFlags(settings)}  --version          Show the version.

Examples:
  roster
  roster serve --port 8080 --database /var/lib/roster/roster.db
  DATABASE_URL=postgres://roster@db.example/roster roster serve
`,

  async run(args, { env, stdout }) {
    const config = readConfig(args, env);
    // Only now: `roster --help` shows the options of this command too.
    const { startService } = await import("../../serve.ts");
    const terminal = Boolean(stdout.isTTY);
    const colour = terminal && !env.NO_COLOR;
    const starting = startService(config, { write: (line) => stdout.write(line), terminal, colour });
    // A terminal that is closed hangs up.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, async () => {
        // What prevents the start is told below.
        const service = await starting.catch(() => undefined);
        await service?.stop().catch(() => fail("Did not stop as it should: the log has the cause.", 1));
        process.exit(0);
      });
    }
    await starting;
  },
};
