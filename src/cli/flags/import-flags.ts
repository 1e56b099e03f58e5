import type { ConflictAction } from "../../client/index.ts";
import { ConfigError } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { conflictActions, defaultImportOptions, matchFields } from "../../contract/bulk/bulk.ts";
import { type RecordKind, userKind } from "../records/record-kind.ts";
import { formatFlag } from "./format-flag.ts";
import { outputFlag } from "./output-flag.ts";
import { switchFlag } from "./switch-flag.ts";

export const FILE_TAKES = "the path of a file, or -";

export const importFileFlag = (records: "users" | "groups or memberships") =>
  ({
    flag: "file",
    form: "word",
    takes: FILE_TAKES,
    about: `The file with the ${records}; - reads stdin.`,
    parse: (text: string) => text,
  }) as const satisfies Flag<string>;

/** Flags that say how an import runs, and what it prints. */
export const importRunFlags = {
  idempotencyKey: {
    flag: "idempotency-key",
    default: "",
    takes: "1 to 255 printable characters",
    about: "Identifies the import: repeating it with the same key within 24 hours imports no line twice.",
    parse: (text: string) => text || undefined,
  },
  errors: {
    flag: "errors",
    default: "",
    takes: "the path of a file to write",
    about: "Write the failed lines to this file, one JSON object per line.",
    parse: (text: string) => text || undefined,
  },
  output: outputFlag(
    ["ndjson"],
    "ndjson: print the result of each line to stdout, one JSON object per line. Default: only a summary.",
  ),
} as const satisfies Record<string, Flag<unknown>>;

export const conflictFlag = ({ one }: RecordKind) =>
  ({
    flag: "on-conflict",
    default: "fail",
    choices: conflictActions,
    takes: conflictActions.join(", "),
    about: `What happens to a line whose ${one} exists: it fails, it is skipped, or it updates the ${one}.`,
    parse: (text: string) => choose(text, conflictActions),
  }) as const satisfies Flag<ConflictAction>;

/** `needs` says when the key needs another scope. */
export const dryRunFlag = (needs: string) =>
  switchFlag("dry-run", `Change nothing. Show what the import would do. ${needs}`);

/** Flags that say how to read CSV or NDJSON. */
export const tableFlags = {
  names: {
    flag: "map",
    form: "list",
    default: "",
    takes: "OLD=NEW, such as mail=email",
    about: "OLD=NEW: rename a column or field. Repeat it to rename several.",
    parse: parseNames,
  },
  textColumns: {
    flag: "text",
    form: "list",
    default: "",
    takes: "the name of a CSV column, after --map",
    about: "Import this CSV column as text, even if its cells are numbers. Repeat it for several.",
    parse: (text) => text.split(",").filter((name) => name !== ""),
  },
} as const satisfies Record<string, Flag<unknown>>;

/** What --map does with --from besides. */
export const MAP_OF_SOURCES = "With --from, OLD is a path such as profile.city, and OLD= leaves it out.";

/** Flags that say what an import of users does. */
export const userImportFlags = {
  format: formatFlag,
  onConflict: conflictFlag(userKind),
  match: {
    flag: "match",
    default: "",
    takes: `${matchFields.join(", ")} or a unique custom field`,
    about: `The field by which a line finds its user: email, userName (else the email), id, or a custom field that is unique in the schema. Default: ${defaultImportOptions.match}; with --from scim, userName.`,
    parse: (text: string) => text || undefined,
  },
  dryRun: dryRunFlag("With --on-conflict update, the key needs the scope users:read."),
  names: {
    ...tableFlags.names,
    about: `${tableFlags.names.about} ${MAP_OF_SOURCES}`,
  },
  textColumns: tableFlags.textColumns,
} as const satisfies Record<string, Flag<unknown>>;

/** The text among the choices. Throws a `RangeError`. */
export function choose<T extends string>(text: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new RangeError(text);
  return choice;
}

function parseNames(text: string): Map<string, string> {
  const pairs = text.split(",").filter((pair) => pair !== "");
  return new Map(
    pairs.map((pair) => {
      // An empty new name leaves a field of another system out.
      const [, from, to] = /^([^=]+)=([^=]*)$/.exec(pair) ?? [];
      if (from === undefined || to === undefined) throw new ConfigError(`--map ${pair}: use OLD=NEW.`);
      return [from.trim(), to.trim()];
    }),
  );
}
