import type { Webhook } from "../../client/index.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import { type WebhookState, webhookState } from "./queries.ts";

const styles: Record<WebhookState, string> = { active: "good", failing: "bad", disabled: "" };

export function StateBadge({ webhook }: { readonly webhook: Webhook }) {
  const state = webhookState(webhook);
  return <span className={`badge ${styles[state]}`}>{texts.states[state]}</span>;
}
