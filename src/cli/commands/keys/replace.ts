import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { existingDatabaseFlags } from "../../flags/database-flags.ts";
import { idFlag, replacementFlags } from "../../flags/key-flags.ts";
import { localCaller, withExistingKeys } from "../../open-keys.ts";
import { COPY_KEY_NOW, describeKey, formatTime } from "../../output/format-keys.ts";
import { print, printSuccess } from "../../output/print.ts";

const flags = { replaces: idFlag, ...replacementFlags, ...existingDatabaseFlags } as const;

export const replace: Command = {
  flags,
  description: `Only the new key goes to stdout, everything else to stderr. Omitted options are copied from the old key. If the
old key was created with an expiry, the new key gets the same lifetime. Both keys are active until the grace period
ends: give programs the new key during this time.`,
  examples: [
    "roster keys replace 7",
    "roster keys replace 7 --grace 15m --expires 90d",
    "roster keys replace 7 --grace 0s --scope users:read",
  ],

  async run(args, { env, stdout, stderr }) {
    const { database, databasePooler, databaseWait, ...fields } = readFlags(
      flags,
      args,
      env,
      "roster keys replace --help",
    );
    const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const { replaces: id } = fields;
    await withExistingKeys({ database, databasePooler, databaseWait }, env, async (keys) => {
      // Throws if there is no such key.
      await keys.read(id);
      const { key, ...record } = await keys.create(localCaller, body);
      stdout.write(`${key}\n`);
      printSuccess(stderr, `Created ${describeKey(record)}. ${COPY_KEY_NOW}`);
      const { expiresAt } = await keys.read(id);
      if (expiresAt === null || Date.parse(expiresAt) <= Date.now()) {
        print(stderr, `Key ${id} is no longer active.`);
      } else {
        print(stderr, `Key ${id} stays active until ${formatTime(expiresAt)}.`);
        print(stderr, `To end it now: roster keys revoke ${id}`);
      }
    });
  },
};
