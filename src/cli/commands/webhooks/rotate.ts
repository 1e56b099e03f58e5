import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { webhookIdFlag } from "../../flags/webhook-flags.ts";
import { formatTime } from "../../output/format-keys.ts";
import { COPY_SECRET_NOW, describeWebhook, printRecord } from "../../output/format-webhook.ts";
import { printSuccess } from "../../output/print.ts";

const flags = { id: webhookIdFlag, output: recordOutputFlag, ...serviceFlags } as const;

export const rotate: Command = {
  flags,
  description: `Deliveries are signed with the old and the new secret for 24 hours, so that receivers can switch. The secret is not shown
again.`,
  examples: ["roster webhooks rotate 3", "roster webhooks rotate 3 | jq -r .secret > secret"],

  async run(args, { env, stdout, stderr }) {
    const { id, output, ...service } = readFlags(flags, args, env, "roster webhooks rotate --help");
    const webhook = await openClient(service, env).webhooks.rotate(id);
    printRecord(stdout, webhook, output);
    const until = webhook.previousSecretUntil === null ? "" : formatTime(webhook.previousSecretUntil);
    printSuccess(
      stderr,
      `Changed the secret of ${describeWebhook(webhook)}. The old one also signs until ${until}. ${COPY_SECRET_NOW}`,
    );
  },
};
