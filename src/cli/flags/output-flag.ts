import type { Flag } from "../../config/flag.ts";
import { isFieldName } from "../../contract/users/field-name.ts";

export const outputs = ["table", "json", "ndjson", "csv"] as const;
export type Output = (typeof outputs)[number];

/** A field of a record, or with more names a value inside it: `address.city`. */
export type Column = readonly string[];

const orList = new Intl.ListFormat("en", { type: "disjunction" });

/** The flag `--output` of a command that prints these formats. Undefined if it is not set. */
export function outputFlag<const T extends Output>(choices: readonly T[], about: string) {
  return {
    flag: "output",
    short: "o",
    default: "",
    takes: `${orList.format(choices)}. To write to a file, add > FILE`,
    choices,
    about,
    parse(text: string): T | undefined {
      const choice = choices.find((candidate) => candidate === text);
      if (choice === undefined && text !== "") throw new RangeError(text);
      return choice;
    },
  } as const satisfies Flag<T | undefined>;
}

/** The flag `--output` of a list that is not a list of users or groups. */
export const listOutputFlag = outputFlag(
  ["table", "json", "ndjson"],
  "Print a table, one JSON array (json), or one JSON object per line (ndjson). Default: table on a terminal, ndjson in a pipe.",
);

/** The flag `--output` of a command that prints one record as JSON. */
export const recordOutputFlag = outputFlag(
  ["json", "ndjson"],
  "Print indented JSON (json) or JSON on one line (ndjson). Default: json on a terminal, ndjson in a pipe.",
);

const columnsFlag = {
  flag: "columns",
  form: "list",
  default: "",
  takes: "field names separated by commas, such as id,name,address.city",
  about: "Print only these fields, such as id,name,address.city.",
  parse: parseColumns,
} as const satisfies Flag<readonly Column[] | undefined>;

/** Flags of the commands that print one user or group. */
export const oneRecordOutputFlags = {
  output: outputFlag(
    outputs,
    "Print a table, indented JSON (json), JSON on one line (ndjson), or csv. Default: json on a terminal, ndjson in a pipe.",
  ),
  columns: columnsFlag,
} as const;

/** Flags of the commands that print many users or groups. */
export const manyRecordsOutputFlags = {
  output: outputFlag(
    outputs,
    "Print a table, one JSON array (json), one JSON object per line (ndjson), or csv. Default: table on a terminal, ndjson in a pipe.",
  ),
  columns: columnsFlag,
} as const;

function parseColumns(text: string): readonly Column[] | undefined {
  if (text === "") return undefined;
  return text.split(",").map((path) => {
    const names = path.trim().split(".");
    if (!isFieldName(names[0] ?? "") || names.some((name) => name === "" || name === "__proto__"))
      throw new RangeError(path);
    return names;
  });
}
