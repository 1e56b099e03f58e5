import { readFlags } from "../../../config/config.ts";
import { settings } from "../../../config/settings.ts";
import { type Command, describeFlags } from "../../command.ts";
import { databaseFlags } from "../../flags/database-flags.ts";
import { keyFlags } from "../../flags/key-flags.ts";
import { isMissingFile, localCaller, withKeys } from "../../open-keys.ts";
import { COPY_KEY_NOW, describeKey } from "../../output/format-keys.ts";
import { print } from "../../output/print.ts";

const flags = { ...keyFlags, ...databaseFlags, migrate: settings.migrate } as const;

export const create: Command = {
  flags,
  help: `The key alone goes to stdout, all else to stderr. It cannot be shown again: the database has only its digest. Where
there is no database yet, it has been made. From the first key on, a service on loopback asks for keys too.

Options:
${describeFlags(flags)}
Examples:
  roster keys create --name ci --scope users:read --expires 90d
  roster keys create --name web --scope users:read,users:write --rate 10/60 --quota 100000
  export ROSTER_API_KEY=$(roster keys create --name laptop --scope all)
`,

  async run(args, { env, stdout, stderr }) {
    const given = readFlags(flags, args, env, "roster keys create --help");
    const { database, databasePooler, databaseWait, migrate, ...body } = given;
    const isNew = isMissingFile(database);
    await withKeys({ database, databasePooler, databaseWait }, migrate === "auto", async (keys) => {
      const { key, ...record } = await keys.create(localCaller, body);
      stdout.write(`${key}\n`);
      if (isNew) print(stderr, `There was no database at ${database.displayName}: it has been made.`);
      print(stderr, `${describeKey(record)}. ${COPY_KEY_NOW}`);
    });
  },
};
