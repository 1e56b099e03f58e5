import { ConfigError } from "../../config/config.ts";
import {
  type Command,
  type CommandEntry,
  type Commands,
  describeCommand,
  describeCommands,
} from "../command.ts";

const commands: Commands = {
  create: {
    usage: "roster keys create --name NAME --scope SCOPES [options]",
    about: "Make a key, and print it this once.",
    load: async () => (await import("./keys/create.ts")).create,
  },
  list: {
    usage: "roster keys list [options]",
    about: "Show every key, in force or not: what it may do, and how much it is used.",
    load: async () => (await import("./keys/list.ts")).list,
  },
  revoke: {
    usage: "roster keys revoke ID [options]",
    about: "End a key now, for good.",
    load: async () => (await import("./keys/revoke.ts")).revoke,
  },
  replace: {
    usage: "roster keys replace ID [options]",
    about: "Make a key in the place of another, which goes on for a while.",
    load: async () => (await import("./keys/replace.ts")).replace,
  },
  generate: {
    usage: "roster keys generate",
    about: "Print a new key that is in no database, for ROSTER_API_KEY.",
    load: async () => (await import("./keys/generate.ts")).generate,
  },
};

const group: Command = {
  help: `${describeCommands(commands)}
They work on the database itself, whether a service runs on it or not: services know of each change within a second. Run
them as the user that the service runs as, so that an SQLite file stays one that it may write to. With --help after it,
each command shows its options.

Examples:
  roster keys create --name ci --scope users:read
  roster keys list
  roster keys revoke 7
`,

  async run(args, { stdout }) {
    if (args.length > 0) {
      throw new ConfigError(
        `Say what to do first: ${Object.keys(commands).join(", ")}. See roster keys --help.`,
      );
    }
    stdout.write(await describeCommand(keys));
  },
};

export const keys: CommandEntry = {
  usage: "roster keys COMMAND [options]",
  about: "Make, list, revoke and replace the keys that callers show.",
  commands,
  load: async () => group,
};
