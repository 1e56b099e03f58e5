import { ConfigError, readFlags } from "../../../config/config.ts";
import { defaultGroupImportOptions, groupMatchFields } from "../../../contract/bulk/bulk.ts";
import type { Command } from "../../command.ts";
import { formatFlag, resolveFormat } from "../../flags/format-flag.ts";
import {
  choose,
  conflictFlag,
  dryRunFlag,
  importFileFlag,
  importRunFlags,
  MAP_OF_SOURCES,
  tableFlags,
} from "../../flags/import-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { groupSourceFlags } from "../../flags/source-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { openTable, placeOf } from "../../import-input.ts";
import { describeMemberships, describeRecords, type LineImport, runImport } from "../../import-lines.ts";
import { groupKind } from "../../records/record-kind.ts";

const flags = {
  // Required, except with --show-mapping.
  file: { ...importFileFlag("groups or memberships"), default: "" },
  format: formatFlag,
  onConflict: conflictFlag(groupKind),
  match: {
    flag: "match",
    default: defaultGroupImportOptions.match,
    choices: groupMatchFields,
    takes: groupMatchFields.join(" or "),
    about: "The field by which a line finds its group.",
    parse: (text: string) => choose(text, groupMatchFields),
  },
  dryRun: dryRunFlag("With --on-conflict update or --memberships, the key needs the scope groups:read."),
  ...tableFlags,
  names: { ...tableFlags.names, about: `${tableFlags.names.about} ${MAP_OF_SOURCES}` },
  ...groupSourceFlags,
  memberships: switchFlag(
    "memberships",
    "Import memberships instead of groups: each line has a group and a user, by id, or by name and user name or email.",
  ),
  remove: switchFlag("remove", "With --memberships: remove the memberships instead of adding them."),
  ...importRunFlags,
  ...serviceFlags,
} as const;

export const importGroups: Command = {
  flags,
  description: `The first row of a CSV file names the fields. The name field is required. Commas, semicolons or tabs separate cells.
A line that fails does not stop the others, but the exit code is then 1. If the connection is lost, the import of a file
continues by itself. If an import ends early, repeat it with the idempotency key that it prints.

With --memberships, the fields of each line are group and user. A number is an id. Text is the name of a group; of a user, it
is the user name or, if no user has this user name, the email. In CSV, an apostrophe in front of digits makes text of them.
The import can be repeated: a user that is a member already is not an error.

With --from, FILE has the groups of another system. Import its users first, with roster users import --from: the members of
groups are found by the ids that users keep of the other system. Then memberships are imported after the groups, and a group
that exists is treated as --on-conflict says.`,
  examples: [
    "roster groups import teams.csv",
    "roster groups import teams.ndjson --on-conflict update --dry-run",
    "roster groups import crm-teams.csv --map title=name",
    "roster groups import members.csv --memberships",
    "roster groups import members.csv --memberships --remove --dry-run",
    "roster groups import groups.json --from scim --dry-run",
  ],

  async run(args, context) {
    const read = readFlags(flags, args, context.env, "roster groups import --help");
    const { file, format, onConflict, match, dryRun, names, textColumns } = read;
    const { memberships: ofMemberships, remove, idempotencyKey, errors, output } = read;
    const { from, flatten, showMapping } = read;
    const isDefaultMatch = match === flags.match.default;
    if (from === undefined && (flatten || showMapping)) {
      throw new ConfigError("--flatten and --show-mapping need --from.");
    }
    const isTable = format !== undefined || textColumns.length > 0 || ofMemberships || !isDefaultMatch;
    if (from !== undefined && isTable) {
      throw new ConfigError("With --from, omit --format, --text, --match and --memberships.");
    }
    if (from !== undefined && showMapping) {
      return await (await import("../../sources/show-mapping.ts")).showGroupMapping(
        context.stdout,
        from,
        names,
      );
    }
    if (remove && !ofMemberships) throw new ConfigError("--remove needs --memberships.");
    if (ofMemberships && (onConflict !== flags.onConflict.default || !isDefaultMatch)) {
      throw new ConfigError("With --memberships, omit --on-conflict and --match.");
    }
    const place = placeOf(file, errors, context.stdin);
    const client = openClient(read, context.env);
    const printsResults = output === "ndjson";
    if (from !== undefined) {
      return await (await import("../../sources/import-group-export.ts")).importGroupExport(
        { place, from, names, flatten, onConflict, client, idempotencyKey, dryRun, printsResults, errors },
        context,
      );
    }
    const input = await openTable(place, resolveFormat(file, format), { names, textColumns });
    const { groups, memberships } = client;
    const lines = { place, input, idempotencyKey, dryRun, printsResults };
    const records: Pick<LineImport, "start" | "describe"> = ofMemberships
      ? {
          start: (key) =>
            memberships.import(input.open(), {
              format: input.format,
              idempotencyKey: key,
              remove,
              dryRun,
            }),
          describe: (counts) => describeMemberships(counts, { remove, dryRun }),
        }
      : {
          start: (key) =>
            groups.import(input.open(), {
              format: input.format,
              idempotencyKey: key,
              onConflict,
              match,
              dryRun,
            }),
          describe: describeRecords("group", { onConflict, dryRun }),
        };
    await runImport({ ...lines, ...records }, errors, context);
  },
};
