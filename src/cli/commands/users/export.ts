import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { checkExportFile } from "../../export-lines.ts";
import { exportFileFlag, exportFlags } from "../../flags/export-flags.ts";
import { toMembership } from "../../flags/group-flags.ts";
import { toSearch, viewFlags } from "../../flags/record-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { userSearchFlags } from "../../flags/user-flags.ts";
import { exportRecords } from "../../records/export-records.ts";
import { userKind } from "../../records/record-kind.ts";

const flags = {
  file: exportFileFlag,
  ...userSearchFlags,
  ...viewFlags(userKind),
  ...exportFlags,
  ...serviceFlags,
} as const;

export const exportUsers: Command = {
  flags,
  description: `Exports all matching users. FILE appears only when the export is complete. roster users import accepts the result.
In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe. The import removes it. If the users have more than 1000 different custom fields, the column _more has the rarest ones as JSON.`,
  examples: [
    "roster users export users.csv",
    "roster users export --where plan=pro --sort name | jq -r .email",
    `roster users export team.csv --filter 'manager.id eq 7' --fields id,name`,
    "roster users export sales.csv --group sales",
    "roster users export | head -1",
  ],

  async run(args, context) {
    const { group, ...rest } = readFlags(flags, args, context.env, "roster users export --help");
    checkExportFile(rest);
    const client = openClient(rest, context.env);
    const search = toSearch(userKind, rest);
    const query = { ...search, ...(await toMembership(client, group)) };
    await exportRecords(userKind, client.users, { ...rest, query }, context);
  },
};
