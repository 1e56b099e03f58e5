import type { RosterEvent } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { eventFlags, limitFlag, toEventFilters } from "../../flags/event-flags.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { EVENT_HEAD, toEventRow } from "../../output/format-event.ts";
import { printList } from "../../output/print-list.ts";

const flags = {
  ...eventFlags,
  limit: limitFlag("events"),
  output: listOutputFlag,
  ...serviceFlags,
} as const;

export const list: Command = {
  flags,
  description: `Newest first. JSON has the same fields as GET /api/events, with the old and the new values.`,
  examples: [
    "roster events list",
    "roster events list --user 42 --output json",
    "roster events list --type user.deleted --limit 100 | jq .record.email",
  ],

  async run(args, context) {
    const { type, user, limit, output, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster events list --help",
    );
    const { events } = openClient(service, context.env);
    const found: RosterEvent[] = [];
    const filters = toEventFilters({ type, user });
    for await (const event of events.list({ ...filters, sort: "-id", limit: Math.min(limit, 100) })) {
      if (found.push(event) === limit) break;
    }
    printList(context, found, output, { head: EVENT_HEAD, toRow: toEventRow, empty: "No events found." });
  },
};
