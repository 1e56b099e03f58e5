import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { parseEventId } from "../../flags/event-flags.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { webhookIdFlag } from "../../flags/webhook-flags.ts";
import { printRecord } from "../../output/format-webhook.ts";
import { printSuccess } from "../../output/print.ts";

const flags = {
  id: webhookIdFlag,
  delivery: {
    flag: "delivery",
    form: "word",
    takes: "the id of a delivery, as `roster webhooks deliveries` shows it",
    about: "The id of the delivery, which is that of its event.",
    parse: parseEventId,
  },
  output: recordOutputFlag,
  ...serviceFlags,
} as const;

export const resend: Command = {
  flags,
  description: `The event is sent soon, also if the receiver has accepted it before.`,
  examples: ["roster webhooks resend 3 0ho78yaryg6"],

  async run(args, { env, stdout, stderr }) {
    const { id, delivery, output, ...service } = readFlags(flags, args, env, "roster webhooks resend --help");
    printRecord(stdout, await openClient(service, env).webhooks.resend(id, delivery), output);
    printSuccess(stderr, `Event ${delivery} will be sent to webhook ${id} again.`);
  },
};
