import { ApiError } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { idFlag } from "../../flags/user-flags.ts";
import { printSuccess } from "../../output/print.ts";
import { confirm } from "../../prompt.ts";

const flags = {
  id: idFlag,
  yes: switchFlag("yes", "Do not ask for confirmation. Required without a terminal."),
  ...serviceFlags,
} as const;

export const purge: Command = {
  flags,
  description: `Erases a user for good, deleted or not: the record, and the personal data in its events. The key needs the scope
users:purge, and users:write for a user that is not deleted yet. Then run \`roster compact\` to remove the last bytes from an
SQLite file. The exit code is 3 if the user does not exist.`,
  examples: ["roster users purge 7", "roster users purge 7 --yes"],

  async run(args, context) {
    const { id, yes, ...service } = readFlags(flags, args, context.env, "roster users purge --help");
    const { users, deletedUsers } = openClient(service, context.env);
    if (!yes) await confirm(context, `Erase user ${id} for good?`);
    try {
      await deletedUsers.purge(id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.type !== "user-not-found") throw error;
      await users.delete(id, { purge: true });
    }
    printSuccess(context.stderr, `Purged user ${id}.`);
  },
};
