import { readFlags } from "../../../config/config.ts";
import { settings } from "../../../config/settings.ts";
import type { Command } from "../../command.ts";
import { databaseFlags } from "../../flags/database-flags.ts";
import { keyFlags } from "../../flags/key-flags.ts";
import { howToReachService, isMissingFile, localCaller, withKeys } from "../../open-keys.ts";
import { COPY_KEY_NOW, describeKey } from "../../output/format-keys.ts";
import { print, printSuccess } from "../../output/print.ts";

const flags = { ...keyFlags, ...databaseFlags, migrate: settings.migrate } as const;

export const create: Command = {
  flags,
  description: `Only the key goes to stdout, everything else to stderr. The key is not shown again: the database stores only its
digest. The database is created if it does not exist. Once a key exists, a service on loopback requires keys too.`,
  examples: [
    "roster keys create --name ci --scope users:read --expires 90d",
    "roster keys create --name web --scope all --rate 10/60 --quota 100000",
    "roster keys create --name entra --scope scim",
    "export ROSTER_API_KEY=$(roster keys create --name laptop --scope all)",
  ],

  async run(args, { env, stdout, stderr }) {
    const { database, databasePooler, databaseWait, migrate, ...body } = readFlags(
      flags,
      args,
      env,
      "roster keys create --help",
    );
    const isNew = isMissingFile(database);
    await withKeys({ database, databasePooler, databaseWait }, migrate === "auto", async (keys) => {
      const { key, ...record } = await keys.create(localCaller, body);
      stdout.write(`${key}\n`);
      if (isNew) {
        print(stderr, `Created a database at ${database.displayName}.`);
        print(stderr, `Only a service on this database accepts the key. ${howToReachService(env)}`);
      }
      printSuccess(stderr, `Created ${describeKey(record)}. ${COPY_KEY_NOW}`);
    });
  },
};
