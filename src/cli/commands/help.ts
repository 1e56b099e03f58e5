import { ConfigError } from "../../config/config.ts";
import { version } from "../../config/version.ts";
import type { Command, Commands, Screen } from "../command.ts";
import { findCommand } from "../find-command.ts";
import { describeAll, describeCommand, layoutFor } from "../help.ts";

/** `roster help` for a table of commands. */
export function helpCommand(commands: Commands): Command {
  return {
    description: "Without a command, lists all commands.",
    examples: ["roster help", "roster help users list"],

    async run(args, { stdout }) {
      const { entry, rest } = findCommand(commands, args);
      if (rest.length > 0) throw new ConfigError(`Unexpected argument '${rest[0]}'. See roster help.`);
      if (entry) stdout.write(await describeCommand(entry, layoutFor(stdout)));
      else printOverview(commands, stdout);
    },
  };
}

/** Prints all commands. */
export function printOverview(commands: Commands, stdout: Screen): void {
  stdout.write(describeAll(`Roster ${version}: the users service.`, commands, layoutFor(stdout)));
}
