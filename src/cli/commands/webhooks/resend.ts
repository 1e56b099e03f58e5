import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { deliveryIdFlag, webhookIdFlag } from "../../flags/webhook-flags.ts";
import { printRecord } from "../../output/format-webhook.ts";
import { printSuccess } from "../../output/print.ts";

const flags = {
  id: webhookIdFlag,
  delivery: deliveryIdFlag,
  output: recordOutputFlag,
  ...serviceFlags,
} as const;

export const resend: Command = {
  flags,
  description: `The event is sent soon: one that waits for its next attempt, has failed, or was accepted before. If an earlier event of the
same subject waits, that one is sent first, and this one follows when it is delivered.`,
  examples: ["roster webhooks resend 3 0ho78yaryg6"],

  async run(args, { env, stdout, stderr }) {
    const { id, delivery, output, ...service } = readFlags(flags, args, env, "roster webhooks resend --help");
    printRecord(stdout, await openClient(service, env).webhooks.resend(id, delivery), output);
    printSuccess(stderr, `Event ${delivery} will be sent to webhook ${id} now.`);
  },
};
