import type { AttemptsInHour, Delivery, Webhook } from "../../client/index.ts";
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

/** Prints a record: as indented JSON on a terminal, and on one line in a pipe. */
export function printRecord(stdout: Screen, record: object, output: "json" | "ndjson" | undefined): void {
  const isIndented = (output ?? (stdout.isTTY ? "json" : "ndjson")) === "json";
  stdout.write(`${JSON.stringify(record, undefined, isIndented ? 2 : undefined)}\n`);
}

export const DELIVERY_HEAD = ["ID", "EVENT", "SUBJECT", "STATE", "TRIES", "LAST ATTEMPT", "NEXT ATTEMPT"];

/** The cells of a delivery in a table. */
export function toDeliveryRow({ id, type, subject, state, attempts, nextAttemptAt }: Delivery): string[] {
  const last = attempts.at(-1);
  return [
    id,
    type,
    `${subject.type}\u00a0${subject.id}`,
    state,
    String(attempts.length),
    last ? printable(last.error ?? `${last.status} in ${last.durationMs} ms`) : "",
    nextAttemptAt === null ? "" : formatTime(nextAttemptAt),
  ];
}

export const ATTEMPTS_HEAD = ["HOUR", "ACCEPTED", "FAILED", "SUCCESS"];

/** The cells of an hour in a table. */
export function toAttemptsRow({ hour, accepted, failed }: AttemptsInHour): string[] {
  const total = accepted + failed;
  const rate = total === 0 ? "" : `${Math.floor((100 * accepted) / total)}\u00a0%`;
  return [formatTime(hour), String(accepted), String(failed), rate];
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
