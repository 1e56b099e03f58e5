import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { optionalTimeFlag, timeFlag } from "../../flags/event-flags.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { webhookIdFlag } from "../../flags/webhook-flags.ts";
import { formatTime } from "../../output/format-keys.ts";
import { printRecord } from "../../output/format-webhook.ts";
import { printSuccess } from "../../output/print.ts";

const flags = {
  id: webhookIdFlag,
  from: timeFlag("from", "Events at or after this time, such as 2026-11-16T08:00:00Z."),
  to: optionalTimeFlag("to", "Events before this time. Default: now."),
  output: recordOutputFlag,
  ...serviceFlags,
} as const;

export const replay: Command = {
  flags,
  description: `Sends every event of the range that the webhook asks for, also those that its receiver has accepted before.`,
  examples: ["roster webhooks replay 3 --from 2026-11-02T08:00:00Z"],

  async run(args, { env, stdout, stderr }) {
    const { id, from, to, output, ...service } = readFlags(flags, args, env, "roster webhooks replay --help");
    const range = await openClient(service, env).webhooks.replay(id, {
      from,
      ...(to !== undefined && { to }),
    });
    printRecord(stdout, range, output);
    const span = `from ${formatTime(range.from)} until ${formatTime(range.to)}`;
    printSuccess(stderr, `The events ${span} will be sent to webhook ${id} again.`);
  },
};
