import { ConfigError, readFlags } from "../../../config/config.ts";
import type { Flag } from "../../../config/flag.ts";
import type { Command } from "../../command.ts";
import { recordOutputFlag } from "../../flags/output-flag.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { parseWebhookUrl, toWebhookFields, webhookFlags, webhookIdFlag } from "../../flags/webhook-flags.ts";
import { printRecord } from "../../output/format-webhook.ts";

const flags = {
  id: webhookIdFlag,
  endpoint: {
    flag: "endpoint",
    default: "",
    takes: "the `https:` URL that receives events",
    about: "The https: URL that receives events.",
    parse: (text: string) => (text === "" ? undefined : parseWebhookUrl(text)),
  },
  ...webhookFlags,
  active: {
    flag: "active",
    default: "",
    choices: ["true", "false"],
    takes: "true or false",
    about: "Whether events are sent. Events of the time in between are not sent later.",
    parse: parseActive,
  } satisfies Flag<boolean | undefined>,
  output: recordOutputFlag,
  ...serviceFlags,
} as const;

export const update: Command = {
  flags,
  description: `Options that you omit change nothing. --filter none removes the filter.`,
  examples: [
    "roster webhooks update 3 --active=false",
    "roster webhooks update 3 --type 'user.*,key.*' --filter none",
    "roster webhooks update 3 --endpoint https://hooks.example.com/new",
  ],

  async run(args, { env, stdout }) {
    const { id, endpoint, types, filter, description, active, output, ...service } = readFlags(
      flags,
      args,
      env,
      "roster webhooks update --help",
    );
    const changes = {
      ...toWebhookFields({ types, filter, description }),
      ...(endpoint !== undefined && { url: endpoint }),
      ...(active !== undefined && { active }),
    };
    if (Object.keys(changes).length === 0) {
      throw new ConfigError(
        "Nothing to change. Use --endpoint, --type, --filter, --description or --active.",
      );
    }
    printRecord(stdout, await openClient(service, env).webhooks.update(id, changes), output);
  },
};

function parseActive(text: string): boolean | undefined {
  if (text === "") return undefined;
  if (text !== "true" && text !== "false") throw new RangeError(text);
  return text === "true";
}
