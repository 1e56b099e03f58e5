import { readFlags } from "../../../config/config.ts";
import type { Flag } from "../../../config/flag.ts";
import { isFieldName } from "../../../contract/users/field-name.ts";
import type { Command } from "../../command.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { printList } from "../../output/print-list.ts";
import { printable } from "../../output/printable.ts";

const flags = {
  field: {
    flag: "field",
    form: "word",
    takes: "the name of a custom field, as `roster fields list` shows it",
    about: "The custom field: see `roster fields list`.",
    parse(text) {
      if (!isFieldName(text)) throw new RangeError(text);
      return text;
    },
  } as const satisfies Flag<string>,
  prefix: {
    flag: "prefix",
    default: "",
    takes: "the first characters of a text",
    about: "List only texts that start with this text, ignoring case.",
    parse: (text: string) => text,
  },
  output: listOutputFlag,
  ...serviceFlags,
} as const;

export const values: Command = {
  flags,
  description: `Shows up to 100 different values in order: numbers, texts, booleans. Elements of arrays are values too.`,
  examples: ["roster fields values department", "roster fields values department --prefix s --output json"],

  async run(args, { env, stdout, stderr }) {
    const { field, prefix, output, ...service } = readFlags(flags, args, env, "roster fields values --help");
    printList({ stdout, stderr }, await openClient(service, env).fields.values(field, { prefix }), output, {
      head: ["VALUE"],
      toRow: (value) => [printable(String(value))],
      empty: "No values found.",
    });
  },
};
