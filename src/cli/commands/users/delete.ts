import type { Client } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command, CommandContext } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { idFlag, versionFlag } from "../../flags/user-flags.ts";
import { printSuccess } from "../../output/print.ts";
import { describeUser } from "../../output/print-users.ts";
import { confirm } from "../../prompt.ts";

const flags = {
  id: idFlag,
  version: versionFlag,
  yes: switchFlag("yes", "Do not ask for confirmation. Required without a terminal."),
  ...serviceFlags,
} as const;

export const remove: Command = {
  flags,
  description: `Asks for confirmation, and deletes the user only if it has not changed since. The id is never reused. The exit code is
3 if the user does not exist, and 1 if you answer no.`,
  examples: ["roster users delete 7", "roster users delete 7 --yes --if-version 3"],

  async run(args, context) {
    const { id, version, yes, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users delete --help",
    );
    const { users } = openClient(service);
    // Delete only the version of the user that the prompt showed.
    const ifMatch = yes ? version : await confirmVersion(users, id, version, context);
    await users.delete(id, ifMatch === undefined ? {} : { ifMatch });
    printSuccess(context.stderr, `Deleted user ${id}.`);
  },
};

/** Asks for confirmation, and returns the version to delete. */
async function confirmVersion(
  users: Client["users"],
  id: number,
  version: number | undefined,
  context: CommandContext,
): Promise<number> {
  const user = await users.get(id);
  await confirm(context, `Delete ${describeUser(user)}?`);
  return version ?? user.version;
}
