import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { webhookIdFlag } from "../../flags/webhook-flags.ts";
import { describeWebhook } from "../../output/format-webhook.ts";
import { printSuccess } from "../../output/print.ts";
import { confirm } from "../../prompt.ts";

const flags = {
  id: webhookIdFlag,
  yes: switchFlag("yes", "Do not ask for confirmation. Required without a terminal."),
  ...serviceFlags,
} as const;

export const remove: Command = {
  flags,
  description: `Events that have not been delivered are not sent any more.`,
  examples: ["roster webhooks delete 3", "roster webhooks delete 3 --yes"],

  async run(args, context) {
    const { id, yes, ...service } = readFlags(flags, args, context.env, "roster webhooks delete --help");
    const { webhooks } = openClient(service, context.env);
    const webhook = await webhooks.get(id);
    if (!yes) await confirm(context, `Delete ${describeWebhook(webhook)}?`);
    await webhooks.delete(id);
    printSuccess(context.stderr, `Deleted ${describeWebhook(webhook)}.`);
  },
};
