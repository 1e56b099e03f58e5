import { readFlags } from "../../../config/config.ts";
import type { Flag } from "../../../config/flag.ts";
import { version } from "../../../config/version.ts";
import { createSecret } from "../../../domain/webhooks/webhooks.ts";
import { renderPayload } from "../../../webhooks/payload.ts";
import { Sender } from "../../../webhooks/sender.ts";
import type { Command } from "../../command.ts";
import { afterEventFlag, eventFlags, toEventFilters } from "../../flags/event-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";

const forwardFlag = {
  flag: "forward",
  takes: "an `http:` URL on this machine or in its network, or an `https:` URL",
  about: "Where to send the events.",
  parse(text: string): string {
    const { protocol, href } = new URL(text);
    if (protocol !== "http:" && protocol !== "https:") throw new RangeError(text);
    return href;
  },
} as const satisfies Flag<string>;

const secretFlag = {
  flag: "secret",
  default: "",
  takes: "a secret such as whsec_…",
  about: "The secret that signs the deliveries. If omitted, a new one is printed.",
  parse(text: string): string | undefined {
    if (text !== "" && !/^whsec_[A-Za-z0-9+/]+=*$/.test(text)) throw new RangeError(text);
    return text || undefined;
  },
} as const satisfies Flag<string | undefined>;

const flags = {
  forward: forwardFlag,
  secret: secretFlag,
  ...eventFlags,
  after: afterEventFlag,
  ...serviceFlags,
} as const;

export const listen: Command = {
  flags,
  description: `Follows the events and sends each one as a webhook would, without a public address. Failed deliveries are printed, and not
retried. Goes on until you press Ctrl+C. The key needs the scope events:read.`,
  examples: [
    "roster webhooks listen --forward http://localhost:4000/hook",
    "roster webhooks listen --forward http://localhost:4000/hook --type 'user.*'",
  ],

  async run(args, { env, stdout, stderr }) {
    const options = readFlags(flags, args, env, "roster webhooks listen --help");
    const { forward, secret = createSecret(), type, user, group, after, ...service } = options;
    const client = openClient(service, env);
    const filters = await toEventFilters(client, { type, user, group });
    const sender = new Sender({ allowPrivate: true, userAgent: `Roster/${version}` });
    stderr.write(`Sending events to ${forward}\nSecret: ${secret}\n`);
    for await (const event of client.events.follow({ ...filters, ...(after !== undefined && { after }) })) {
      const { id, time, subject } = event;
      const json = JSON.stringify(event);
      const body = renderPayload({ type: event.type, time, subjectId: subject.id, json }, "");
      const message = { url: forward, id, time: Date.now(), body, secrets: [secret] };
      const { code, durationMs, error } = await sender.send(message);
      const outcome = error === null ? `${code} in ${durationMs} ms` : error;
      if (!stdout.write(`${id}  ${event.type}  ${outcome}\n`)) await stdout.drained();
    }
  },
};
