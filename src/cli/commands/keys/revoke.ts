import { readFlags } from "../../../config/config.ts";
import { type Command, describeFlags } from "../../command.ts";
import { existingDatabaseFlags } from "../../flags/database-flags.ts";
import { idFlag } from "../../flags/key-flags.ts";
import { localCaller, withExistingKeys } from "../../open-keys.ts";
import { formatTime } from "../../output/format-keys.ts";
import { print } from "../../output/print.ts";

const flags = { id: idFlag, ...existingDatabaseFlags } as const;

export const revoke: Command = {
  flags,
  help: `Every service on the database refuses it within a second, and the sessions that were opened with it. To revoke a key
that is revoked does nothing. The exit code is 3 where there is no such key.

Options:
${describeFlags(flags)}
Examples:
  roster keys revoke 7
  DATABASE_URL=postgres://roster@db.example/roster roster keys revoke 7
`,

  async run(args, { env, stderr }) {
    const { id, ...where } = readFlags(flags, args, env, "roster keys revoke --help");
    await withExistingKeys(where, async (keys) => {
      const { name, revokedAt } = await keys.read(id);
      await keys.revoke(localCaller, id);
      print(
        stderr,
        revokedAt === null
          ? `Key ${id}, ${name}, is revoked: within a second, every service refuses it.`
          : `Key ${id}, ${name}, was revoked already, at ${formatTime(revokedAt)}.`,
      );
    });
  },
};
