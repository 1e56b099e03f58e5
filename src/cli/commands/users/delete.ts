import type { Client } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import { type Command, type CommandContext, describeFlags } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { idFlag, switchFlag, versionFlag } from "../../flags/user-flags.ts";
import { print } from "../../output/print.ts";
import { describeUser } from "../../output/print-users.ts";
import { confirm } from "../../prompt.ts";

const flags = {
  id: idFlag,
  version: versionFlag,
  yes: switchFlag("yes", "Do not ask. Needed where nobody can be asked."),
  ...serviceFlags,
} as const;

export const remove: Command = {
  flags,
  help: `Asks first, by name, and deletes nobody who has changed since. Its id is never given again. The exit code is 3 where
there is no such user, and 1 where the answer is no.

Options:
${describeFlags(flags)}
Examples:
  roster users delete 7
  roster users delete 7 --yes --if-version 3
`,

  async run(args, context) {
    const { id, version, yes, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users delete --help",
    );
    const { users } = openClient(service);
    const given = version === undefined ? {} : { ifMatch: version };
    // Whoever is asked says yes to the user as it is shown, and to no other.
    const ifMatch = yes ? given : { ifMatch: await agreed(users, id, version, context) };
    await users.delete(id, ifMatch);
    print(context.stderr, `User ${id} is gone.`);
  },
};

/** The version of the user that somebody agrees to do without. */
async function agreed(
  users: Client["users"],
  id: number,
  version: number | undefined,
  context: CommandContext,
): Promise<number> {
  const user = await users.get(id);
  await confirm(context, `Delete ${describeUser(user)}?`);
  return version ?? user.version;
}
