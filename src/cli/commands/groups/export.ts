import type { Client } from "../../../client/index.ts";
import { ConfigError, readFlags, type Values } from "../../../config/config.ts";
import type { Command, CommandContext } from "../../command.ts";
import { checkExportFile, exportLines } from "../../export-lines.ts";
import { exportFileFlag, exportFlags } from "../../flags/export-flags.ts";
import { membersOfFlag, toMembership } from "../../flags/group-flags.ts";
import { searchFlags, toSearch, viewFlags } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { exportRecords } from "../../records/export-records.ts";
import { groupKind } from "../../records/record-kind.ts";

const flags = {
  file: exportFileFlag,
  ...searchFlags(groupKind),
  ...viewFlags(groupKind),
  memberships: switchFlag(
    "memberships",
    "Export which users are members of which groups, instead of the groups.",
  ),
  group: {
    ...membersOfFlag,
    about:
      "With --memberships: only those of this group, by its id or its name. Repeat it for several groups.",
  },
  names: switchFlag(
    "names",
    "With --memberships: write the names of the groups and the user names of the users instead of ids.",
  ),
  ...exportFlags,
  ...serviceFlags,
} as const;

export const exportGroups: Command = {
  flags,
  description: `Exports all matching groups, without their members. FILE appears only when the export is complete. roster groups import
accepts the result.

With --memberships, each line has a group and a user. Import it with roster groups import --memberships. Use --names for an
import into another service, where the ids are others.`,
  examples: [
    "roster groups export groups.csv",
    "roster groups export --where region=north --sort name | jq -r .name",
    "roster groups export memberships.csv --memberships --names",
    "roster groups export --memberships --group sales | jq .user",
  ],

  async run(args, context) {
    const read = readFlags(flags, args, context.env, "roster groups export --help");
    checkExportFile(read);
    const client = openClient(read, context.env);
    if (read.memberships) return await exportMemberships(client, read, context);
    if (read.names || read.group.length > 0) throw new ConfigError("--group and --names need --memberships.");
    await exportRecords(groupKind, client.groups, { ...read, query: toSearch(groupKind, read) }, context);
  },
};

async function exportMemberships(
  client: Client,
  { q, where, filter, sort, fields, group, names, ...target }: Values<typeof flags>,
  context: CommandContext,
): Promise<void> {
  if (q !== "" || where.length + filter.length > 0 || sort !== flags.sort.default || fields) {
    throw new ConfigError(
      "With --memberships, omit --q, --where, --filter, --sort and --fields. Use --group.",
    );
  }
  const options = { ...(await toMembership(client, group)), names };
  await exportLines(
    {
      ...target,
      many: "memberships",
      open: (format) => client.memberships.export(options).stream(format),
      count: async () => 0,
    },
    context,
  );
}
