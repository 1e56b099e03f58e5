import type { ReactNode } from "react";
import type { Webhook } from "../../client/index.ts";
import { formatDateTime } from "../texts/format.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import { Button } from "../ui/button.tsx";
import { Fact } from "../ui/fact.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { EventTypeBadges } from "./event-types.tsx";
import { StateBadge } from "./state-badge.tsx";

/** What a webhook gets, with actions below. */
export function WebhookFacts({
  webhook,
  children,
}: {
  readonly webhook: Webhook;
  readonly children: ReactNode;
}) {
  const { url, description, types, filter, createdAt, previousSecretUntil } = webhook;
  return (
    <section className="card webhook-facts" aria-label={texts.facts.label}>
      <dl className="fact-grid">
        <Fact label={texts.facts.url} isWide>
          <span className="webhook-url">{url}</span> <StateBadge webhook={webhook} />
        </Fact>
        {description !== "" && (
          <Fact label={texts.facts.description} isWide>
            {description}
          </Fact>
        )}
        <Fact label={texts.facts.types}>
          <EventTypeBadges types={types} />
        </Fact>
        <Fact label={texts.facts.filter}>
          {filter === null ? <span className="none">{texts.facts.noFilter}</span> : <code>{filter}</code>}
        </Fact>
        <Fact label={texts.facts.secret}>
          {isFuture(previousSecretUntil)
            ? texts.facts.twoSecrets(formatDateTime(previousSecretUntil))
            : texts.facts.oneSecret}
        </Fact>
        <Fact label={texts.facts.created}>
          <Timestamp iso={createdAt} />
        </Fact>
      </dl>
      <div className="actions">{children}</div>
    </section>
  );
}

interface NoticeProps {
  readonly webhook: Webhook;
  readonly isBusy: boolean;
  readonly onActivate: () => void;
}

/** Says why a webhook gets no events. */
export function WebhookNotice({ webhook, isBusy, onActivate }: NoticeProps) {
  const { active, disabledReason, failingSince } = webhook;
  if (active) {
    if (failingSince === null) return null;
    return <p className="warning">{texts.failingSince(formatDateTime(failingSince))}</p>;
  }
  return (
    <div className="notice with-button">
      <p>
        {disabledReason === null ? texts.disabledText : texts.disabledReasons[disabledReason]} {texts.missed}
      </p>
      <Button kind="primary" busy={isBusy} onClick={onActivate}>
        {texts.actions.activate}
      </Button>
    </div>
  );
}

export function isFuture(iso: string | null): iso is string {
  return iso !== null && Date.parse(iso) > Date.now();
}
