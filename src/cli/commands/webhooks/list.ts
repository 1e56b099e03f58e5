import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { toWebhookRow, WEBHOOK_HEAD } from "../../output/format-webhook.ts";
import { printList } from "../../output/print-list.ts";

const flags = { output: listOutputFlag, ...serviceFlags } as const;

export const list: Command = {
  flags,
  description: `JSON has the same fields as GET /api/webhooks. Secrets are not shown.`,
  examples: ["roster webhooks list", "roster webhooks list | jq -r 'select(.active | not) | .url'"],

  async run(args, context) {
    const { output, ...service } = readFlags(flags, args, context.env, "roster webhooks list --help");
    printList(context, await openClient(service, context.env).webhooks.list().all(), output, {
      head: WEBHOOK_HEAD,
      toRow: toWebhookRow,
      empty: "No webhooks yet. Create one: roster webhooks create https://hooks.example.com/ --type 'user.*'",
    });
  },
};
