import { ConfigError, readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { switchFlag } from "../../flags/switch-flag.ts";
import { parseWebhookUrl, toWebhookFields, webhookFlags } from "../../flags/webhook-flags.ts";
import { COPY_SECRET_NOW, describeWebhook, printRecord } from "../../output/format-webhook.ts";
import { printSuccess } from "../../output/print.ts";

const flags = {
  endpoint: {
    flag: "endpoint",
    form: "word",
    takes: "the `https:` URL that receives events",
    about: "The https: URL that receives events.",
    parse: parseWebhookUrl,
  },
  ...webhookFlags,
  inactive: switchFlag("inactive", "Send nothing yet."),
  output: recordOutputFlag,
  ...serviceFlags,
} as const;

export const create: Command = {
  flags,
  description: `The service sends every later event of these types to the URL, signed with the secret. Receivers verify the signature with
the secret, which is not shown again.`,
  examples: [
    "roster webhooks create https://hooks.example.com/roster --type 'user.*'",
    `roster webhooks create https://crm.example/ --type '*' --filter 'level ge 3'`,
    "roster webhooks create https://crm.example/ --type '*' | jq -r .secret",
  ],

  async run(args, { env, stdout, stderr }) {
    const { endpoint, types, filter, description, inactive, output, ...service } = readFlags(
      flags,
      args,
      env,
      "roster webhooks create --help",
    );
    if (types === undefined) throw new ConfigError(`--type is required. Use ${flags.types.takes}.`);
    const input = { ...toWebhookFields({ types, filter, description }), url: endpoint, types };
    const webhook = await openClient(service, env).webhooks.create({ ...input, active: !inactive });
    printRecord(stdout, webhook, output);
    printSuccess(stderr, `Created ${describeWebhook(webhook)}. ${COPY_SECRET_NOW}`);
  },
};
