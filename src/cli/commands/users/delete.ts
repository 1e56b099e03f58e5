import { ConfigError, readFlags } from "../../../config/config.ts";
import { changeIds, changeMatches, deletion } from "../../bulk-change.ts";
import type { Command } from "../../command.ts";
import { versionFlag } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { readTarget, targetFlags } from "../../flags/target-flags.ts";
import { idsFlag } from "../../flags/user-flags.ts";
import { deleteRecords } from "../../records/delete-records.ts";
import { userAccess } from "../../records/record-access.ts";
import { userKind } from "../../records/record-kind.ts";

const flags = {
  ids: idsFlag,
  ...targetFlags,
  version: versionFlag(userKind),
  yes: switchFlag("yes", "Do not ask for confirmation. Required without a terminal."),
  ...serviceFlags,
} as const;

export const remove: Command = {
  flags,
  description: `Asks for confirmation, and deletes each user only if it has not changed since. Ids are never reused. The exit code is
3 if a single user does not exist, and 1 if you answer no, or if only some of several users could be deleted.

With --where or --filter, the command counts the users that match both, asks for confirmation, and deletes all of them in
one call. --where finds the same users as in roster users list, or the command deletes nothing.`,
  examples: [
    "roster users delete 7",
    "roster users delete 7 8 9 --yes",
    "roster users delete 7 --yes --if-version 3",
    "roster users delete --where plan=trial",
    `roster users delete --filter 'plan eq "trial" and not (email pr)' --yes`,
  ],

  async run(args, context) {
    const { ids, where, filter, version, yes, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users delete --help",
    );
    const target = readTarget(ids, { where, filter });
    if (version !== undefined && ids.length !== 1) throw new ConfigError("--if-version takes only one ID.");
    const { users } = openClient(service, context.env);
    if (target) return await changeMatches(users, { target, change: deletion, yes }, context);
    if (yes && ids.length > 1) return await changeIds(users, ids, deletion, context);
    const targets = ids.map((id) => ({ id, version }));
    await deleteRecords(userAccess, { calls: users, targets, yes }, context);
  },
};
