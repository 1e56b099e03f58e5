import type { Client, ImportedLine } from "../../client/index.ts";
import type { ImportPlan } from "./import-plan.ts";

interface SendOptions {
  readonly format: ImportPlan["source"]["format"];
  readonly idempotencyKey?: string;
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}

/** Sends rows. Returns the result of each. */
export function importRows(
  client: Client,
  { kind, action, match }: ImportPlan,
  body: string | Blob,
  options: SendOptions,
): AsyncIterable<ImportedLine> {
  if (action === "add" || action === "remove")
    return client.memberships.import(body, { ...options, remove: action === "remove" });
  // Rows that are rejected find no user or group.
  const conflict = action === "fail" ? {} : { onConflict: action };
  if (kind === "groups") return client.groups.import(body, { ...options, ...conflict });
  return client.users.import(body, { ...options, ...conflict, ...(action !== "fail" && { match }) });
}
