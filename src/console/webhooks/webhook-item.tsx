import { Link } from "wouter";
import type { Webhook } from "../../client/index.ts";
import { eventTypeLabels } from "../texts/activity.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import { ChevronRight } from "../ui/icons.ts";
import { type WebhookState, webhookState } from "./queries.ts";

const badgeStyles: Record<WebhookState, string> = { active: "good", failing: "bad", disabled: "" };
/** Types that a row names. */
const NAMED_TYPES = 4;

export function WebhookItem({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, description, types } = webhook;
  return (
    <li className="row-item linked">
      <div className="row-main">
        <div className="row-title">
          <h2 className="row-name">
            <Link href={`/webhooks/${id}`} className="row-link">
              {url}
            </Link>
          </h2>
          <StateBadge webhook={webhook} />
        </div>
        {description !== "" && <p className="hint">{description}</p>}
        <EventTypes types={types.slice(0, NAMED_TYPES)} more={types.length - NAMED_TYPES} />
      </div>
      <ChevronRight className="row-arrow" aria-hidden />
    </li>
  );
}

export function StateBadge({ webhook }: { readonly webhook: Webhook }) {
  const state = webhookState(webhook);
  return <span className={`badge ${badgeStyles[state]}`}>{texts.states[state]}</span>;
}

export function EventTypes({
  types,
  more = 0,
}: {
  readonly types: readonly string[];
  readonly more?: number;
}) {
  return (
    <ul className="badges">
      {types.map((type) => (
        <li key={type} className="badge" title={type}>
          {typeLabel(type)}
        </li>
      ))}
      {more > 0 && <li className="badge">+{more}</li>}
    </ul>
  );
}

/** A pattern of types in words. The service can send types that this page does not know. */
export function typeLabel(type: string): string {
  if (type === "*") return texts.allEvents;
  return new Map<string, string>(Object.entries(eventTypeLabels)).get(type) ?? type;
}
