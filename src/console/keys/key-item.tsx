import { Ban, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { Key } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { scopes, keys as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Moment } from "../ui/timestamp.tsx";
import { isInForce, type KeyState, stateOf } from "./queries.ts";
import { Usage } from "./usage.tsx";

interface KeyItemProps {
  readonly item: Key;
  /** Whether one is signed in with it. */
  readonly own: boolean;
  /** Whether it was made just now. */
  readonly fresh: boolean;
  readonly onReplace: () => void;
  readonly onRevoke: () => void;
}

const looks: Record<KeyState, string> = { "in-force": "good", soon: "soon", expired: "bad", revoked: "bad" };

/** One key, with what can be done about it. */
export function KeyItem({ item, own, fresh, onReplace, onRevoke }: KeyItemProps) {
  const state = stateOf(item);
  const { name, rateLimit } = item;
  return (
    <li className={`key-item${isInForce(item) ? "" : " ended"}`}>
      <div className="key-what">
        <div className="key-title">
          <h2 className="key-name">{name}</h2>
          {own && (
            <span className="badge" title={texts.youHint}>
              {texts.you}
            </span>
          )}
          {fresh && <span className="badge">{texts.fresh}</span>}
          <span className={`badge ${looks[state]}`}>{texts.states[state]}</span>
        </div>
        <p className="hint">
          <code>{item.prefix}…</code> {texts.created} <Moment iso={item.createdAt} />
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
          {item.lastUsedAt === null ? <None text={texts.never} /> : <Moment iso={item.lastUsedAt} />}
        </Fact>
        <Fact label={texts.expires}>
          {item.expiresAt === null ? <None text={texts.never} /> : <Moment iso={item.expiresAt} />}
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
        </Fact>
      </dl>
      {isInForce(item) && (
        <div className="key-actions">
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
        </div>
      )}
    </li>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="hint">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function None({ text }: { readonly text: string }) {
  return <span className="none">{text}</span>;
}
