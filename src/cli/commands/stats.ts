import { readFlags } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { wholeNumberIn } from "../../config/setting.ts";
import { statsDays } from "../../contract/users/stats-schemas.ts";
import type { Command } from "../command.ts";
import { listOutputFlag } from "../flags/output-flag.ts";
import { openClient, serviceFlags } from "../flags/service-flags.ts";
import { printList } from "../output/print-list.ts";

const flags = {
  days: {
    flag: "days",
    default: String(statsDays.default),
    about: "The number of days, up to today.",
    ...wholeNumberIn(1, statsDays.maximum),
  },
  output: listOutputFlag,
  ...serviceFlags,
} as const satisfies Record<string, Flag<unknown>>;

export const stats: Command = {
  flags,
  description: `Shows the users created, deleted and restored on each day (UTC), and the number of users at its end.`,
  examples: [
    "roster stats",
    "roster stats --days 7",
    "roster stats --days 366 | jq -s 'map(.created) | add'",
  ],

  async run(args, context) {
    const { days, output, ...service } = readFlags(flags, args, context.env, "roster stats --help");
    const found = await openClient(service, context.env).stats({ days });
    printList(context, found.days, output, {
      head: ["DATE", "CREATED", "DELETED", "RESTORED", "TOTAL"],
      toRow: ({ date, ...counts }) => [
        date,
        ...[counts.created, counts.deleted, counts.restored, counts.total].map((count) =>
          count.toLocaleString("en"),
        ),
      ],
      empty: "",
    });
  },
};
