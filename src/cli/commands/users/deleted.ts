import type { DeletedUser } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { combineFilters, filterFlag } from "../../flags/filter-flag.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { formatTime } from "../../output/format-keys.ts";
import { printList } from "../../output/print-list.ts";
import { printable } from "../../output/printable.ts";

const MAX_USERS = 10_000;

const flags = {
  q: {
    flag: "q",
    default: "",
    takes: "words",
    about: "Only users with these words in the name or the email.",
    parse: (text: string) => text,
  },
  filter: filterFlag,
  output: listOutputFlag,
  ...serviceFlags,
} as const;

export const deleted: Command = {
  flags,
  description: `The last deletion first, at most ${MAX_USERS.toLocaleString("en")} users. They can be restored until ROSTER_DELETED_DAYS have passed.`,
  examples: ["roster users deleted", "roster users deleted --q ada --output json"],

  async run(args, context) {
    const { q, filter, output, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster users deleted --help",
    );
    const expression = combineFilters(filter);
    const { deletedUsers } = openClient(service, context.env);
    const found: DeletedUser[] = [];
    const search = { ...(q && { q }), ...(expression !== undefined && { filter: expression }) };
    for await (const user of deletedUsers.list({ ...search, limit: 1000 })) {
      if (found.push(user) === MAX_USERS) break;
    }
    const toRow = ({ id, name, email = "", deletedAt }: DeletedUser) => [
      String(id),
      printable(name),
      printable(email),
      formatTime(deletedAt),
    ];
    printList(context, found, output, {
      head: ["ID", "NAME", "EMAIL", "DELETED"],
      toRow,
      empty: "No deleted users found.",
    });
  },
};
