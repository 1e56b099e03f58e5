import type { RosterEvent } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { eventFlags, toEventFilters } from "../../flags/event-flags.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { EVENT_HEAD, toEventRow } from "../../output/format-event.ts";
import { printList } from "../../output/print-list.ts";

const MAX_EVENTS = 10_000;

const flags = {
  ...eventFlags,
  limit: {
    flag: "limit",
    default: "20",
    takes: `a whole number from 1 to ${MAX_EVENTS}`,
    about: "The maximum number of events.",
    parse: parseLimit,
  },
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

function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_EVENTS) throw new RangeError(text);
  return limit;
}
