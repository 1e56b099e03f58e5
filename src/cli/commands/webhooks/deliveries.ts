import type { Delivery } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { limitFlag } from "../../flags/event-flags.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { webhookIdFlag } from "../../flags/webhook-flags.ts";
import { DELIVERY_HEAD, toDeliveryRow } from "../../output/format-webhook.ts";
import { printList } from "../../output/print-list.ts";

const flags = {
  id: webhookIdFlag,
  limit: limitFlag("deliveries"),
  output: listOutputFlag,
  ...serviceFlags,
} as const;

export const deliveries: Command = {
  flags,
  description: `Newest events first. JSON has the same fields as GET /api/webhooks/ID/deliveries, with the last attempts.`,
  examples: [
    "roster webhooks deliveries 3",
    "roster webhooks deliveries 3 --limit 100 | jq 'select(.state == \"failed\")'",
  ],

  async run(args, context) {
    const { id, limit, output, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster webhooks deliveries --help",
    );
    const { webhooks } = openClient(service, context.env);
    const found: Delivery[] = [];
    for await (const delivery of webhooks.deliveries(id, { limit: Math.min(limit, 100) })) {
      if (found.push(delivery) === limit) break;
    }
    printList(context, found, output, {
      head: DELIVERY_HEAD,
      toRow: toDeliveryRow,
      empty: "Nothing has been sent yet.",
    });
  },
};
