import { ConfigError, readFlags } from "../../../config/config.ts";
import { defaultImportOptions } from "../../../contract/bulk/bulk.ts";
import type { Command } from "../../command.ts";
import { resolveFormat } from "../../flags/format-flag.ts";
import { importFileFlag, importRunFlags, userImportFlags } from "../../flags/import-flags.ts";
import { openClient, resolveService, serviceFlags } from "../../flags/service-flags.ts";
import { sourceFlags } from "../../flags/source-flags.ts";
import { openTable, placeOf } from "../../import-input.ts";
import { describeRecords, runImport } from "../../import-lines.ts";
import { print } from "../../output/print.ts";
import type { UserLines } from "../../sources/import-export.ts";

const flags = {
  // Required, except with --show-mapping.
  file: { ...importFileFlag("users"), default: "" },
  ...userImportFlags,
  ...sourceFlags,
  ...importRunFlags,
  ...serviceFlags,
} as const;

export const importUsers: Command = {
  flags,
  description: `The first row of a CSV file names the fields. The name field is required. Commas, semicolons or tabs separate cells.
Cells that are valid JSON (3, true, [1,2]) are parsed as JSON. Other cells are text. A line that fails does not stop the
others, but the exit code is then 1. If the connection is lost, the import of a file continues by itself. If an import
ends early, repeat it with the idempotency key that it prints.

An export has ids. To import it again into the same service, use --match id: users without an email and a user name have
nothing else by which a line finds them.

With --from, FILE is an export of another system. Roster reads it as it is, keeps the ids of the other system, and reports
what it does not import, such as password hashes. Exports of Keycloak and LDAP have groups, too: groups and memberships are
imported after the users, and a group that exists is treated as --on-conflict says. Groups of SCIM are in an export of their
own: import it with roster groups import --from scim after the users.`,
  examples: [
    "roster users import people.csv",
    "roster users import people.ndjson --errors failed.ndjson",
    "jq -c '.[]' people.json | roster users import -",
    "roster users import people.csv --on-conflict update --dry-run",
    "roster users import people.ndjson --match id --on-conflict skip",
    "roster users import crm.csv --map Mail=email --text zip",
    "roster users import acme-realm.json --from keycloak --dry-run",
    "roster users import directory.ldif --from ldif --flatten",
    "roster users import --from okta --show-mapping",
  ],

  async run(args, context) {
    const {
      file,
      format,
      onConflict,
      match,
      dryRun,
      names,
      textColumns,
      from,
      collection,
      showMapping,
      flatten,
      noGroups,
      idempotencyKey,
      errors,
      output,
      ...service
    } = readFlags(flags, args, context.env, "roster users import --help");
    if (from === undefined && (showMapping || flatten || noGroups || collection !== "")) {
      throw new ConfigError("--show-mapping, --collection, --flatten and --no-groups need --from.");
    }
    if (flatten && noGroups) throw new ConfigError("Use --flatten or --no-groups, not both.");
    if (from !== undefined && (format !== undefined || textColumns.length > 0)) {
      throw new ConfigError("With --from, omit --format and --text: the export says it itself.");
    }
    if (from !== undefined && showMapping) {
      return await (await import("../../sources/show-mapping.ts")).showMapping(context.stdout, from, names);
    }
    const place = placeOf(file, errors, context.stdin);
    const client = openClient(service, context.env);
    const startUsers = ({ source, ...lines }: UserLines) =>
      client.users.import(source, { ...lines, onConflict, dryRun });
    const printsResults = output === "ndjson";
    if (from !== undefined) {
      const options = { place, from, collection, names, withGroups: !noGroups, flatten, onConflict };
      return await (await import("../../sources/import-export.ts")).importExport(
        {
          ...options,
          match,
          client,
          service: resolveService(service, context.env),
          timeout: service.timeout,
          startUsers,
          idempotencyKey,
          dryRun,
          printsResults,
          errors,
        },
        context,
      );
    }
    const field = match ?? defaultImportOptions.match;
    const input = await openTable(place, resolveFormat(file, format), { names, textColumns }, field);
    const { failed } = await runImport(
      {
        place,
        input,
        start: (idempotencyKey) =>
          startUsers({ source: input.open(), format: input.format, match: field, idempotencyKey }),
        idempotencyKey,
        dryRun,
        printsResults,
        describe: describeRecords("user", { onConflict, dryRun }),
      },
      errors,
      context,
    );
    const unmatched = input.countUnmatched();
    // A first import into an empty directory meets no user.
    if (unmatched > 0 && (onConflict !== "fail" || failed > 0)) {
      print(
        context.stderr,
        `Lines with an id, but no ${field}: ${unmatched.toLocaleString("en")}. Roster creates a user for each of them, even if the user exists. If the file is an export of this service, use --match id.`,
      );
    }
  },
};
