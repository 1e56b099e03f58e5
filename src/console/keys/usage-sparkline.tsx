import { useQuery } from "@tanstack/react-query";
import { Sparkline } from "../charts/sparkline.tsx";
import { formatNumber } from "../texts/format.ts";
import { usageHistory as texts } from "../texts/index.ts";
import { keyUsageQuery } from "./usage-query.ts";

const DAYS = 30;

interface UsageSparklineProps {
  readonly id: number;
  /** Whether the number of requests is beside the chart. */
  readonly hasTotal?: boolean;
}

/** The requests of the last 30 days. Nothing if there were none. */
export function UsageSparkline({ id, hasTotal = false }: UsageSparklineProps) {
  const { data } = useQuery(keyUsageQuery(id, DAYS));
  const values = data?.days.map(({ requests }) => requests) ?? [];
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    total > 0 && (
      <span className="usage">
        <Sparkline values={values} label={texts.lastDays(texts.total(formatNumber(total)))} />
        {hasTotal && <span className="figure">{formatNumber(total)}</span>}
      </span>
    )
  );
}
