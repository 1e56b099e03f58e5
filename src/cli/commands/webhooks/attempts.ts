import { readFlags } from "../../../config/config.ts";
import type { Flag } from "../../../config/flag.ts";
import { wholeNumberIn } from "../../../config/setting.ts";
import { webhookLimits } from "../../../contract/webhooks/webhook.ts";
import type { Command } from "../../command.ts";
import { listOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { webhookIdFlag } from "../../flags/webhook-flags.ts";
import { ATTEMPTS_HEAD, toAttemptsRow } from "../../output/format-webhook.ts";
import { printList } from "../../output/print-list.ts";

const hoursFlag = {
  flag: "hours",
  default: "24",
  about: "How many hours, up to this one.",
  ...wholeNumberIn(1, webhookLimits.attemptHours),
} as const satisfies Flag<number>;

const flags = { id: webhookIdFlag, hours: hoursFlag, output: listOutputFlag, ...serviceFlags } as const;

export const attempts: Command = {
  flags,
  description: `How many attempts of each hour the receiver accepted, and how many failed, oldest first. Retries count.`,
  examples: ["roster webhooks attempts 3", "roster webhooks attempts 3 --hours 168"],

  async run(args, context) {
    const { id, hours, output, ...service } = readFlags(
      flags,
      args,
      context.env,
      "roster webhooks attempts --help",
    );
    const counted = await openClient(service, context.env).webhooks.attempts(id, { hours });
    printList(context, counted.hours, output, { head: ATTEMPTS_HEAD, toRow: toAttemptsRow, empty: "" });
  },
};
