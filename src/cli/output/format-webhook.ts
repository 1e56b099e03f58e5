import type { Webhook } from "../../client/index.ts";
import type { Screen } from "../command.ts";
import { formatTime } from "./format-keys.ts";
import { printable } from "./printable.ts";

export const WEBHOOK_HEAD = ["ID", "URL", "TYPES", "DESCRIPTION", "STATE"];
export const COPY_SECRET_NOW = "Copy the secret now: it is not shown again.";

/** The cells of a webhook in a table. */
export function toWebhookRow(webhook: Webhook): string[] {
  const { id, url, types, description, filter } = webhook;
  const which = filter === null ? types.join(" ") : `${types.join(" ")} if ${filter}`;
  return [String(id), printable(url), printable(which), printable(description), stateOf(webhook)];
}

/** For example `webhook 3 (https://hooks.example.com/)`. */
export function describeWebhook({ id, url }: Webhook): string {
  return printable(`webhook ${id} (${url})`);
}

/** Prints a webhook: as indented JSON on a terminal, and on one line in a pipe. */
export function printWebhook(stdout: Screen, webhook: Webhook, output: "json" | "ndjson" | undefined): void {
  const isIndented = (output ?? (stdout.isTTY ? "json" : "ndjson")) === "json";
  stdout.write(`${JSON.stringify(webhook, undefined, isIndented ? 2 : undefined)}\n`);
}

const reasons = {
  gone: "disabled: the receiver is gone",
  failing: "disabled: every delivery failed",
  restored: "disabled by a restore",
} as const;

function stateOf({ active, disabledReason, failingSince }: Webhook): string {
  if (!active) return disabledReason === null ? "inactive" : reasons[disabledReason];
  return failingSince === null ? "active" : `failing since ${formatTime(failingSince)}`;
}
