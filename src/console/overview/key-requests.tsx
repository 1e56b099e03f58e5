import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Key } from "../../client/index.ts";
import { Sparkline } from "../charts/sparkline.tsx";
import { keysQuery } from "../keys/queries.ts";
import { keyUsageQuery } from "../keys/usage-query.ts";
import { useSession } from "../lib/session.ts";
import { formatNumber } from "../texts/format.ts";
import { overview as texts } from "../texts/overview.ts";
import { viewPaths } from "../view-paths.ts";
import { OverviewCard } from "./overview-card.tsx";
import type { Period } from "./period.ts";

const SHOWN_KEYS = 5;

/** The requests of the keys that are used most. */
export function KeyRequests({ period }: { readonly period: Period }) {
  const auth = useSession()?.auth;
  const query = useInfiniteQuery({ ...keysQuery, enabled: auth !== "off" });
  const keys = query.data?.pages.flatMap((page) => page.keys) ?? [];
  const used = keys
    .filter(({ usage }) => usage.requests > 0)
    .sort((a, b) => b.usage.requests - a.usage.requests)
    .slice(0, SHOWN_KEYS);
  return (
    <OverviewCard
      title={texts.requests}
      all={{ href: viewPaths.keys, label: texts.requestsAll }}
      query={auth === "off" ? undefined : query}
    >
      {used.length > 0 ? (
        <ul className="overview-list" title={texts.requestsHint}>
          {used.map((key) => (
            <KeyLine key={key.id} item={key} days={Number(period)} />
          ))}
        </ul>
      ) : (
        <p className="hint">{keys.length === 0 ? texts.noKeys : texts.noRequests}</p>
      )}
    </OverviewCard>
  );
}

function KeyLine({ item: { id, name }, days }: { readonly item: Key; readonly days: number }) {
  const { data } = useQuery(keyUsageQuery(id, days));
  const values = data?.days.map(({ requests }) => requests) ?? [];
  const total = formatNumber(values.reduce((sum, value) => sum + value, 0));
  return (
    <li className="overview-key">
      <span className="overview-main" title={name} dir="auto">
        {name}
      </span>
      <Sparkline values={values} label={texts.requestsSummary(name, total)} />
      <span className="figure overview-end">{data && total}</span>
    </li>
  );
}
