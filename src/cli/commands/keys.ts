import { ConfigError } from "../../config.ts";
import { type Command, describe, describeAll } from "../command.ts";
import { create } from "./keys/create.ts";
import { generate } from "./keys/generate.ts";
import { list } from "./keys/list.ts";
import { replace } from "./keys/replace.ts";
import { revoke } from "./keys/revoke.ts";

const commands = { create, list, revoke, replace, generate };

export const keys: Command = {
  usage: "roster keys COMMAND [options]",
  about: "Make, list, revoke and replace the keys that callers show.",
  commands,
  help: `${describeAll(commands)}
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
    stdout.write(describe(keys));
  },
};
