import { readFlags } from "../../../config/config.ts";
import { type Command, describeFlags } from "../../command.ts";
import { existingDatabaseFlags } from "../../flags/database-flags.ts";
import { idFlag, replacementFlags } from "../../flags/key-flags.ts";
import { localCaller, withExistingKeys } from "../../open-keys.ts";
import { COPY_KEY_NOW, describeKey, formatTime } from "../../output/format-keys.ts";
import { print } from "../../output/print.ts";

const flags = { replaces: idFlag, ...replacementFlags, ...existingDatabaseFlags } as const;

export const replace: Command = {
  flags,
  help: `The new key alone goes to stdout, all else to stderr. What is not said is as it is with the old key; where that one was
made for a while, the new one is good for as long. Programs change over at leisure: until the grace is over, both are good.

Options:
${describeFlags(flags)}
Examples:
  roster keys replace 7
  roster keys replace 7 --grace 15m --expires 90d
  roster keys replace 7 --grace 0s --scope users:read
`,

  async run(args, { env, stdout, stderr }) {
    const given = readFlags(flags, args, env, "roster keys replace --help");
    const { database, databasePooler, databaseWait, ...wishes } = given;
    const body = Object.fromEntries(Object.entries(wishes).filter(([, wish]) => wish !== undefined));
    const { replaces: id } = given;
    await withExistingKeys({ database, databasePooler, databaseWait }, async (keys) => {
      // Tells one that never was from one that has ended.
      await keys.read(id);
      const { key, ...record } = await keys.create(localCaller, body);
      stdout.write(`${key}\n`);
      print(stderr, `${describeKey(record)}. ${COPY_KEY_NOW}`);
      const { expiresAt } = await keys.read(id);
      if (expiresAt === null || Date.parse(expiresAt) <= Date.now()) {
        print(stderr, `Key ${id}, which it replaces, has ended.`);
      } else {
        print(stderr, `Key ${id}, which it replaces, goes on until ${formatTime(expiresAt)}.`);
        print(stderr, `To end it now: roster keys revoke ${id}`);
      }
    });
  },
};
