import { ConfigError } from "../../config.ts";
import { type Command, describe, describeAll } from "../command.ts";
import { create } from "./users/create.ts";
import { remove } from "./users/delete.ts";
import { exportUsers } from "./users/export.ts";
import { find } from "./users/find.ts";
import { get } from "./users/get.ts";
import { importUsers } from "./users/import.ts";
import { list } from "./users/list.ts";
import { replace } from "./users/replace.ts";
import { update } from "./users/update.ts";

const commands = {
  list,
  get,
  find,
  create,
  update,
  replace,
  delete: remove,
  import: importUsers,
  export: exportUsers,
};

export const users: Command = {
  usage: "roster users COMMAND [options]",
  about: "Work with the users of a service.",
  commands,
  help: `${describeAll(commands)}
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
    stdout.write(describe(users));
  },
};
