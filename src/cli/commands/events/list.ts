import type { RosterEvent } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import {
  eventFlags,
  limitFlag,
  optionalTimeFlag,
  requestIdFlag,
  toEventFilters,
} from "../../flags/event-flags.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { EVENT_HEAD, toEventRow } from "../../output/format-event.ts";
import { printList } from "../../output/print-list.ts";

const flags = {
  ...eventFlags,
  requestId: requestIdFlag,
  from: optionalTimeFlag("from", "Only events at or after this time, such as 2026-11-16T08:00:00Z."),
  to: optionalTimeFlag("to", "Only events before this time."),
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
    "roster events list --group sales --type group.members_changed",
    "roster events list --request-id k2vw1x-42 --from 2026-11-16T08:00:00Z",
    "roster events list --type user.deleted --limit 100 | jq .record.email",
  ],

  async run(args, context) {
    const { type, user, group, requestId, from, to, limit, output, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster events list --help",
    );
    const client = openClient(service, context.env);
    const found: RosterEvent[] = [];
    const filters = {
      ...(await toEventFilters(client, { type, user, group })),
      ...(requestId !== undefined && { requestId }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    };
    for await (const event of client.events.list({ ...filters, sort: "-id", limit: Math.min(limit, 100) })) {
      if (found.push(event) === limit) break;
    }
    printList(context, found, output, { head: EVENT_HEAD, toRow: toEventRow, empty: "No events found." });
  },
};
