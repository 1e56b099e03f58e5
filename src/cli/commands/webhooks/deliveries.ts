import type { Delivery } from "../../../client/index.ts";
import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { limitFlag } from "../../flags/event-flags.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { deliveryStateFlag, webhookIdFlag } from "../../flags/webhook-flags.ts";
import { DELIVERY_HEAD, toDeliveryRow } from "../../output/format-webhook.ts";
import { printList } from "../../output/print-list.ts";

const flags = {
  id: webhookIdFlag,
  state: deliveryStateFlag,
  limit: limitFlag("deliveries"),
  output: listOutputFlag,
  ...serviceFlags,
} as const;

export const deliveries: Command = {
  flags,
  description: `Newest events first. JSON has the same fields as GET /api/webhooks/ID/deliveries, with the last attempts.`,
  examples: ["roster webhooks deliveries 3", "roster webhooks deliveries 3 --state failed --limit 100"],

  async run(args, context) {
    const { id, state, limit, output, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster webhooks deliveries --help",
    );
    const { webhooks } = openClient(service, context.env);
    const options = { limit: Math.min(limit, 100), ...(state && { state }) };
    const found: Delivery[] = [];
    for await (const delivery of webhooks.deliveries(id, options)) {
      if (found.push(delivery) === limit) break;
    }
    printList(context, found, output, {
      head: DELIVERY_HEAD,
      toRow: toDeliveryRow,
      empty: state === undefined ? "Nothing has been sent yet." : `No delivery is ${state}.`,
    });
  },
};
