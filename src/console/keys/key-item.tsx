import type { Key } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { scopes, keys as texts, usageHistory } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Fact } from "../ui/fact.tsx";
import { Ban, ChartColumn, RefreshCw } from "../ui/icons.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import { isActive, type KeyState, keyState } from "./queries.ts";
import { Usage } from "./usage.tsx";
import { UsageSparkline } from "./usage-sparkline.tsx";

interface KeyItemProps {
  readonly item: Key;
  /** Whether the current session uses this key. */
  readonly isCurrent: boolean;
  /** Whether the key was created in this view. */
  readonly isNew: boolean;
  readonly onUsage: () => void;
  readonly onReplace: () => void;
  readonly onRevoke: () => void;
}

const badgeStyles: Record<KeyState, string> = {
  active: "good",
  expiring: "soon",
  expired: "bad",
  revoked: "bad",
};

export function KeyItem({ item, isCurrent, isNew, onUsage, onReplace, onRevoke }: KeyItemProps) {
  const state = keyState(item);
  const { name, rateLimit } = item;
  return (
    <li className={`key-item${isActive(item) ? "" : " inactive"}`}>
      <div className="key-main">
        <div className="key-title">
          <h2 className="key-name">{name}</h2>
          {isCurrent && (
            <span className="badge" title={texts.youHint}>
              {texts.you}
            </span>
          )}
          {isNew && <span className="badge">{texts.new}</span>}
          <span className={`badge ${badgeStyles[state]}`}>{texts.states[state]}</span>
        </div>
        <p className="hint">
          <code>{item.prefix}…</code> {texts.created} <Timestamp iso={item.createdAt} />
        </p>
        <ul className="key-scopes">
          {item.scopes.map((scope) => (
            <li key={scope} className="badge" title={scopes[scope].text}>
              {scopes[scope].name}
            </li>
          ))}
        </ul>
      </div>
      <dl className="key-facts">
        <Fact label={texts.lastUsed}>
          {item.lastUsedAt === null ? <None text={texts.never} /> : <Timestamp iso={item.lastUsedAt} />}
        </Fact>
        <Fact label={texts.expires}>
          {item.expiresAt === null ? <None text={texts.never} /> : <Timestamp iso={item.expiresAt} />}
        </Fact>
        <Fact label={texts.rate}>
          {rateLimit === null ? (
            <None text={texts.serviceRate} />
          ) : (
            <span className="figure">
              {texts.rateOf(formatNumber(rateLimit.requests), formatNumber(rateLimit.seconds))}
            </span>
          )}
        </Fact>
        <Fact label={texts.usage}>
          <Usage usage={item.usage} quota={item.quota} />
          {item.lastUsedAt !== null && <UsageSparkline id={item.id} />}
        </Fact>
      </dl>
      <div className="key-actions">
        {item.lastUsedAt !== null && (
          <Button
            kind="quiet"
            icon={<ChartColumn aria-hidden />}
            aria-label={usageHistory.title(name)}
            onClick={onUsage}
          >
            {usageHistory.open}
          </Button>
        )}
        {isActive(item) && (
          <>
            <Button
              kind="quiet"
              icon={<RefreshCw aria-hidden />}
              aria-label={texts.replaceOf(name)}
              onClick={onReplace}
            >
              {texts.replace}
            </Button>
            <Button
              kind="quiet"
              className="delete"
              icon={<Ban aria-hidden />}
              aria-label={texts.revokeOf(name)}
              onClick={onRevoke}
            >
              {texts.revoke}
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

function None({ text }: { readonly text: string }) {
  return <span className="none">{text}</span>;
}
