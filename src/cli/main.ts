#!/usr/bin/env bun
import { ConfigError, readConfig, settings } from "../config.ts";
import { ListenError, StoreError, startService, version } from "../serve.ts";

const usage = `Roster ${version}: the users service.

  roster [serve] [options]

Options, each also a variable of the environment:
${Object.values(settings)
  .map(
    ({ flag, env, default: standard, about }) =>
      `  --${flag.padEnd(16)} ${about}\n${" ".repeat(21)}${env}, default ${standard}`,
  )
  .join("\n")}
  --help             Show this.
  --version          Show the version.
`;

const [, , ...args] = Bun.argv;
if (args[0] === "serve") args.shift();

if (args.includes("--help") || args.includes("-h")) process.stdout.write(usage);
else if (args.includes("--version")) process.stdout.write(`${version}\n`);
else await serve();

async function serve(): Promise<void> {
  try {
    const config = readConfig(args, process.env);
    const terminal = Boolean(process.stdout.isTTY);
    const colour = terminal && !process.env.NO_COLOR;
    const service = await startService(config, {
      write: (line) => process.stdout.write(line),
      terminal,
      colour,
    });
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () =>
        service.stop().then(
          () => process.exit(0),
          () => fail("Did not stop as it should: the log has the cause.", 1),
        ),
      );
    }
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message, 2);
    if (error instanceof StoreError || error instanceof ListenError) fail(error.message, 1);
    throw error;
  }
}

/** One line, whatever the value was that it quotes. */
function fail(message: string, code: number): never {
  process.stderr.write(`roster: ${message.replace(/[\r\n]+/g, " ")}\n`);
  process.exit(code);
}
