import type { BulkFormat, Client, ConflictAction, ImportedLine, ImportSource } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Input } from "../import-input.ts";
import { describeRecords, importLines, type LineImport, printImport } from "../import-lines.ts";
import { FailedLines } from "../output/failed-lines.ts";
import type { Profile } from "../profiles.ts";
import { whoAmI } from "../who-am-i.ts";
import { importGroups } from "./import-groups.ts";
import { type ExportOptions, openExport } from "./open-export.ts";
import { withRefusals } from "./refused-lines.ts";
import { ResultIds } from "./result-ids.ts";
import { withoutTakenEmails } from "./taken-emails.ts";

interface ExportImport
  extends ExportOptions,
    Pick<LineImport, "idempotencyKey" | "dryRun" | "printsResults"> {
  readonly place: Input;
  readonly flatten: boolean;
  readonly onConflict: ConflictAction;
  /** By which field a line finds its user. Default: that of the system. */
  readonly match: string | undefined;
  readonly client: Client;
  /** The service of the client. */
  readonly service: Profile;
  readonly timeout: number;
  /** Starts an import of users. */
  startUsers(users: UserLines): AsyncIterable<ImportedLine>;
  /** The file of --errors. */
  readonly errors: string | undefined;
}

/** Lines of users, and how to import them. */
export interface UserLines {
  readonly source: ImportSource;
  readonly format: BulkFormat;
  readonly match: string;
  readonly idempotencyKey: string;
}

/** Imports an export of another system: the users, then the groups, then who is in them. Sets the exit code. */
export async function importExport(options: ExportImport, context: CommandContext): Promise<void> {
  const input = await openExport(options.place, options);
  if (input.groups) await requireScopes(options);
  const failures = new FailedLines(context.stderr, options.errors);
  const userIds = new ResultIds();
  const { idempotencyKey, dryRun, printsResults, startUsers, onConflict, place } = options;
  const part = { place, idempotencyKey, dryRun, printsResults };
  const newKey = crypto.randomUUID();
  const match = options.match ?? input.match;
  const start = (key: string) => {
    const { format } = input;
    const first = startUsers({ source: input.open(), format, match, idempotencyKey: key });
    const results = withRefusals(first, (line) => input.sent(line)?.refusal);
    // The user who has the email is then the user of the line.
    if (match === "email") return results;
    return withoutTakenEmails(results, {
      idempotencyKey: key,
      withoutEmail: (line) => input.sent(line)?.withoutEmail,
      start: (lines, idempotencyKey) => startUsers({ source: lines, format, match, idempotencyKey }),
    });
  };
  const users: LineImport = {
    ...part,
    input,
    parts: { newKey, haveBegun: false },
    start: (key) => userIds.watch(start(key)),
    describe: describeRecords("user", { onConflict, dryRun }),
  };
  let areAllSent = true;
  try {
    printImport(users, await importLines(users, failures, context), context);
    if (input.groups && input.groups.all.length > 0) {
      const unknownReason = "the member is not a user or a group of the export";
      const groupImport = {
        ...options,
        part,
        newKey,
        userIds,
        haveBegun: true,
        printsGroups: false,
        unknownReason,
      };
      areAllSent = await importGroups(groupImport, input.groups, failures, context);
    }
  } finally {
    await failures.close();
  }
  if (failures.count > 0 || !areAllSent) process.exitCode = exitCodes.failed.code;
}

/** Throws a `ConfigError` before anything is imported: users without their groups would be half of the export. */
async function requireScopes({
  service,
  timeout,
  dryRun,
}: Pick<ExportImport, "service" | "timeout" | "dryRun">): Promise<void> {
  const { scopes } = await whoAmI(service, timeout);
  const needed = ["groups:write", "users:read", ...(dryRun ? (["groups:read"] as const) : [])] as const;
  const missing = needed.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  throw new ConfigError(
    `The key has no scope ${missing.join(" and ")}, and groups need it. Use a key with ${needed.join(", ")}, or import only users with --no-groups.`,
  );
}
