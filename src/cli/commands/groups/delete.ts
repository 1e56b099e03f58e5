import { ConfigError, readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { findGroupId } from "../../find-group.ts";
import { groupWordsFlag } from "../../flags/group-flags.ts";
import { versionFlag } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { deleteRecords } from "../../records/delete-records.ts";
import { groupAccess } from "../../records/record-access.ts";
import { groupKind } from "../../records/record-kind.ts";

const flags = {
  groups: groupWordsFlag,
  version: versionFlag(groupKind),
  yes: switchFlag("yes", "Do not ask for confirmation. Required without a terminal."),
  ...serviceFlags,
} as const;

export const remove: Command = {
  flags,
  description: `Asks for confirmation, and deletes each group only if neither the group nor its members have changed since. A deleted group
cannot be restored. Its members stay users. The exit code is 3 if a single group does not exist, and 1 if you answer no, or if
only some of several groups could be deleted.`,
  examples: [
    "roster groups delete sales",
    "roster groups delete 7 8 9 --yes",
    "roster groups delete 7 --yes --if-version 3",
  ],

  async run(args, context) {
    const { groups, version, yes, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster groups delete --help",
    );
    if (version !== undefined && groups.length !== 1)
      throw new ConfigError("--if-version takes only one GROUP.");
    const client = openClient(service, context.env);
    const ids = new Set<number>();
    for (const group of groups) ids.add(await findGroupId(client, group));
    const targets = [...ids].map((id) => ({ id, version }));
    await deleteRecords(groupAccess, { calls: client.groups, targets, yes }, context);
  },
};
