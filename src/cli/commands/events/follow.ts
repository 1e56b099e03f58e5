import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { afterEventFlag, eventFlags, toEventFilters } from "../../flags/event-flags.ts";
import { outputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { toEventRow } from "../../output/format-event.ts";

const flags = {
  ...eventFlags,
  after: afterEventFlag,
  output: outputFlag(
    ["table", "ndjson"],
    "Print a line of text (table), or one JSON object per line (ndjson). Default: table on a terminal, ndjson in a pipe.",
  ),
  ...serviceFlags,
} as const;

export const follow: Command = {
  flags,
  description: `Begins with the next event, or after the event in --after. Goes on until you press Ctrl+C, also when the service
restarts.`,
  examples: [
    "roster events follow",
    "roster events follow --type user.created,user.updated | jq .record",
    "roster events follow --after 0ho78yaryg6",
  ],

  async run(args, { env, stdout }) {
    const { type, user, group, after, output, ...service } = readFlags(
      flags,
      args,
      env,
      "roster events follow --help",
    );
    const client = openClient(service, env);
    const isText = (output ?? (stdout.isTTY ? "table" : "ndjson")) === "table";
    const filters = await toEventFilters(client, { type, user, group });
    for await (const event of client.events.follow({ ...filters, ...(after !== undefined && { after }) })) {
      const line = isText ? toEventRow(event).filter(Boolean).join("  ") : JSON.stringify(event);
      if (!stdout.write(`${line}\n`)) await stdout.drained();
    }
  },
};
