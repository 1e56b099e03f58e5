import { ConfigError } from "../config/config.ts";
import type { Command, CommandEntry, Commands } from "./command.ts";
import { describeCommand, layoutFor } from "./help.ts";

/** A command that only has subcommands. Without one, it prints its help. */
export function commandGroup(
  name: string,
  {
    about,
    section,
    commands,
    ...help
  }: Pick<Command, "description" | "examples"> &
    Pick<CommandEntry, "about" | "section"> & { readonly commands: Commands },
): CommandEntry {
  const entry: CommandEntry = {
    usage: `roster ${name} COMMAND [options]`,
    about,
    ...(section !== undefined && { section }),
    commands,
    load: async () => ({
      ...help,
      async run(args, { stdout }) {
        if (args.length > 0) {
          const names = Object.keys(commands).join(", ");
          throw new ConfigError(`Choose a command: ${names}. See roster ${name} --help.`);
        }
        stdout.write(await describeCommand(entry, layoutFor(stdout)));
      },
    }),
  };
  return entry;
}
