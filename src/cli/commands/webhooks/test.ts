import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { fail } from "../../fail.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { webhookIdFlag } from "../../flags/webhook-flags.ts";
import { printRecord } from "../../output/format-webhook.ts";
import { printSuccess } from "../../output/print.ts";

const flags = { id: webhookIdFlag, output: recordOutputFlag, ...serviceFlags } as const;

export const test: Command = {
  flags,
  description: `The sample has the type webhook.test. It is sent once, also to a webhook that is not active. The exit code is 1 if the receiver
does not accept it.`,
  examples: ["roster webhooks test 3"],

  async run(args, { env, stdout, stderr }) {
    const { id, output, ...service } = readFlags(flags, args, env, "roster webhooks test --help");
    const result = await openClient(service, env).webhooks.test(id);
    printRecord(stdout, result, output);
    if (!result.delivered)
      fail(`Webhook ${id} did not accept the sample. ${result.error}`, exitCodes.failed.code);
    printSuccess(stderr, `Webhook ${id} accepted the sample in ${result.durationMs}\u00a0ms.`);
  },
};
