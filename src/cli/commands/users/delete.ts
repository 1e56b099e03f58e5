import { readFlags } from "../../../config.ts";
import { askYes } from "../../ask.ts";
import { type Command, describeFlags } from "../../command.ts";
import { openClient, serviceFlags } from "../../service-flags.ts";
import { tell } from "../../tell.ts";
import { idFlag, switchFlag, versionFlag } from "../../user-flags.ts";

const flags = {
  id: idFlag,
  version: versionFlag,
  yes: switchFlag("yes", "Do not ask. Needed where nobody can be asked."),
  ...serviceFlags,
} as const;

export const remove: Command = {
  usage: "roster users delete ID [options]",
  about: "Delete a user, for good.",
  flags,
  help: `Asks first, by name. Its id is never given again. The exit code is 3 where there is no such user.

Options:
${describeFlags(flags)}
Examples:
  roster users delete 7
  roster users delete 7 --yes --if-version 3
`,

  async run(args, around) {
    const { id, version, yes, ...service } = readFlags(flags, args, around.env, "roster users delete --help");
    const { users } = openClient(service);
    const user = await users.get(id);
    if (!yes) {
      const who = user.email === undefined ? user.name : `${user.name} <${user.email}>`;
      await askYes(around, `Delete user ${id}, ${who}?`);
    }
    await users.delete(id, version === undefined ? {} : { ifMatch: version });
    tell(around.stderr, `User ${id}, ${user.name}, is gone.`);
  },
};
