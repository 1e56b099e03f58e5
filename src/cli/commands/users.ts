import { ConfigError } from "../../config/config.ts";
import {
  type Command,
  type CommandEntry,
  type Commands,
  describeCommand,
  describeCommands,
} from "../command.ts";

const commands: Commands = {
  list: {
    usage: "roster users list [options]",
    about: "Show users: all, or those that are meant.",
    load: async () => (await import("./users/list.ts")).list,
  },
  get: {
    usage: "roster users get ID [options]",
    about: "Show one user.",
    load: async () => (await import("./users/get.ts")).get,
  },
  find: {
    usage: "roster users find EMAIL [options]",
    about: "Show the user that has this email.",
    load: async () => (await import("./users/find.ts")).find,
  },
  create: {
    usage: "roster users create FIELD=VALUE… [options]",
    about: "Create a user.",
    load: async () => (await import("./users/create.ts")).create,
  },
  update: {
    usage: "roster users update ID FIELD=VALUE… [options]",
    about: "Change some fields of a user; the others stay.",
    load: async () => (await import("./users/update.ts")).update,
  },
  replace: {
    usage: "roster users replace ID FIELD=VALUE… [options]",
    about: "Replace a user whole: what is not said is gone.",
    load: async () => (await import("./users/replace.ts")).replace,
  },
  delete: {
    usage: "roster users delete ID [options]",
    about: "Delete a user, for good.",
    load: async () => (await import("./users/delete.ts")).remove,
  },
  import: {
    usage: "roster users import FILE [options]",
    about: "Create many users, from a table or from JSON one a line.",
    load: async () => (await import("./users/import.ts")).importUsers,
  },
  export: {
    usage: "roster users export [FILE] [options]",
    about: "Write every user, or those that are meant, as JSON one a line or as a table.",
    load: async () => (await import("./users/export.ts")).exportUsers,
  },
};

const group: Command = {
  help: `${describeCommands(commands)}
They call a service: the one at ROSTER_URL, with the key in ROSTER_API_KEY where it wants one. With --help after it, each
command shows its options.

Examples:
  roster users create name="Ada Lovelace" email=ada@example.com
  roster users list --q ada
  ROSTER_URL=https://users.example ROSTER_API_KEY=$(cat key) roster users get 7
`,

  async run(args, { stdout }) {
    if (args.length > 0) {
      throw new ConfigError(
        `Say what to do first: ${Object.keys(commands).join(", ")}. See roster users --help.`,
      );
    }
    stdout.write(await describeCommand(users));
  },
};

export const users: CommandEntry = {
  usage: "roster users COMMAND [options]",
  about: "Work with the users of a service.",
  commands,
  load: async () => group,
};
