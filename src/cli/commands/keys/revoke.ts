import { readFlags } from "../../../config/config.ts";
import { type Command, describeFlags } from "../../command.ts";
import { existingDatabaseFlags } from "../../database-flags.ts";
import { describeMoment } from "../../describe-key.ts";
import { idFlag } from "../../key-flags.ts";
import { host, withExistingKeys } from "../../open-keys.ts";
import { print } from "../../print.ts";

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
      await keys.revoke(host, id);
      print(
        stderr,
        revokedAt === null
          ? `Key ${id}, ${name}, is revoked: within a second, every service refuses it.`
          : `Key ${id}, ${name}, was revoked already, at ${describeMoment(revokedAt)}.`,
      );
    });
  },
};
