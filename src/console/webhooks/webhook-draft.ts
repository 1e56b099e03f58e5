import type { EventTypeFilter, Webhook, WebhookInput } from "../../client/index.ts";
import { webhookForm as texts } from "../texts/webhooks.ts";

/** A type of event, all types of a subject, or all types. */
export type TypePattern = EventTypeFilter | "*";

/** The form's input for a webhook. */
export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly types: readonly TypePattern[];
  readonly filter: string;
}

export function toDraft(webhook: Webhook | undefined): WebhookDraft {
  const types = webhook?.types.filter(isTypePattern) ?? ["user.*"];
  return {
    url: webhook?.url ?? "",
    description: webhook?.description ?? "",
    types,
    filter: webhook?.filter ?? "",
  };
}

/** What is missing, by field. The service checks everything else. */
export function checkDraft({ url, types }: WebhookDraft): Readonly<Record<string, string>> {
  return {
    ...(url.trim() === "" && { url: texts.urlMissing }),
    ...(types.length === 0 && { types: texts.typesMissing }),
  };
}

export function toInput({
  url,
  description,
  types,
  filter,
}: WebhookDraft): Required<Omit<WebhookInput, "active">> {
  return {
    url: url.trim(),
    description: description.trim(),
    types,
    filter: filter.trim() === "" ? null : filter.trim(),
  };
}

/** The fields that differ from the webhook. */
export function changesOf(webhook: Webhook, draft: WebhookDraft): Partial<WebhookInput> {
  const { url, description, types, filter } = toInput(draft);
  return {
    ...(url !== webhook.url && { url }),
    ...(description !== webhook.description && { description }),
    ...(types.join() !== webhook.types.join() && { types }),
    ...(filter !== webhook.filter && { filter }),
  };
}

/** The service accepts only these. */
function isTypePattern(text: string): text is TypePattern {
  return text === "*" || /^(user|key|webhook|schema)\./.test(text);
}
