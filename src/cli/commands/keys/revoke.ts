import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { existingDatabaseFlags } from "../../flags/database-flags.ts";
import { idFlag } from "../../flags/key-flags.ts";
import { localCaller, withExistingKeys } from "../../open-keys.ts";
import { formatTime } from "../../output/format-keys.ts";
import { print, printSuccess } from "../../output/print.ts";

const flags = { id: idFlag, ...existingDatabaseFlags } as const;

export const revoke: Command = {
  flags,
  description: `Every service on the database rejects the key, and the sessions opened with it, within a second. Revoking a key twice
has no effect. The exit code is 3 if the key does not exist.`,
  examples: ["roster keys revoke 7", "DATABASE_URL=postgres://roster@db.example/roster roster keys revoke 7"],

  async run(args, { env, stderr }) {
    const { id, ...databaseOptions } = readFlags(flags, args, env, "roster keys revoke --help");
    await withExistingKeys(databaseOptions, env, async (keys) => {
      const { name, revokedAt } = await keys.read(id);
      await keys.revoke(localCaller, id);
      if (revokedAt === null) {
        printSuccess(stderr, `Revoked key ${id} (${name}). Services reject it within a second.`);
      } else {
        print(stderr, `Key ${id} (${name}) was already revoked at ${formatTime(revokedAt)}.`);
      }
    });
  },
};
