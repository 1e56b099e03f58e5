import type { Key } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { keys as texts } from "../texts/index.ts";
import { Fact } from "../ui/fact.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { ScopeBadges } from "./key-scopes.tsx";
import { UsageSparkline } from "./usage-sparkline.tsx";

/** What the line of a key has no room for. */
export function KeyDetails({ item }: { readonly item: Key }) {
  const { id, prefix, createdAt, rateLimit, scopes, lastUsedAt } = item;
  return (
    <dl className="fact-grid">
      <Fact label={texts.prefix}>
        <code>{prefix}…</code>
      </Fact>
      <Fact label={texts.created}>
        <Timestamp iso={createdAt} />
      </Fact>
      <Fact label={texts.rate}>
        {rateLimit === null ? (
          <span className="none">{texts.serviceRate}</span>
        ) : (
          <span className="figure">
            {texts.rateOf(formatNumber(rateLimit.requests), formatNumber(rateLimit.seconds))}
          </span>
        )}
      </Fact>
      {lastUsedAt !== null && (
        <Fact label={texts.recentUsage}>
          <UsageSparkline id={id} />
        </Fact>
      )}
      <Fact label={texts.scopesTitle} isWide>
        <ScopeBadges scopes={scopes} />
      </Fact>
    </dl>
  );
}
