import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { deliveryIdFlag, webhookIdFlag } from "../../flags/webhook-flags.ts";
import { printRecord } from "../../output/format-webhook.ts";

const flags = {
  id: webhookIdFlag,
  delivery: deliveryIdFlag,
  output: recordOutputFlag,
  ...serviceFlags,
} as const;

export const delivery: Command = {
  flags,
  description: `JSON has the last request with its headers and its body. It has what the receiver answered only if the service stores
responses (ROSTER_WEBHOOK_STORE_RESPONSES=on).`,
  examples: [
    "roster webhooks delivery 3 0ho78yaryg6",
    "roster webhooks delivery 3 0ho78yaryg6 | jq -r .request.body",
  ],

  async run(args, { env, stdout }) {
    const { id, delivery, output, ...service } = readFlags(
      flags,
      args,
      env,
      "roster webhooks delivery --help",
    );
    printRecord(stdout, await openClient(service, env).webhooks.delivery(id, delivery), output);
  },
};
