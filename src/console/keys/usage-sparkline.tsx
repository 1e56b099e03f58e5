import { useQuery } from "@tanstack/react-query";
import { Sparkline } from "../charts/sparkline.tsx";
import { formatNumber } from "../texts/format.ts";
import { usageHistory as texts } from "../texts/index.ts";
import { keyUsageQuery } from "./usage-query.ts";

const DAYS = 30;

/** The requests of the last 30 days. Nothing if there were none. */
export function UsageSparkline({ id }: { readonly id: number }) {
  const { data } = useQuery(keyUsageQuery(id, DAYS));
  const values = data?.days.map(({ requests }) => requests) ?? [];
  const total = values.reduce((sum, value) => sum + value, 0);
  return total > 0 && <Sparkline values={values} label={texts.lastDays(formatNumber(total))} />;
}
