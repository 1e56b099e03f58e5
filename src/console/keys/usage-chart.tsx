import { useQuery } from "@tanstack/react-query";
import type { Key } from "../../client/index.ts";
import { Chart } from "../charts/chart.tsx";
import { toPoints } from "../charts/day-points.ts";
import { usePeriod } from "../overview/period.ts";
import { PeriodSelect } from "../overview/period-select.tsx";
import { formatNumber } from "../texts/format.ts";
import { usageHistory as texts } from "../texts/index.ts";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { keyUsageQuery } from "./usage-query.ts";

interface UsageChartProps {
  readonly item: Key;
  readonly onClose: () => void;
}

/** The requests with a key over time. */
export function UsageChart({ item: { id, name }, onClose }: UsageChartProps) {
  const [period, choosePeriod] = usePeriod();
  const { data, error, refetch } = useQuery(keyUsageQuery(id, Number(period)));
  const total = formatNumber(data?.days.reduce((sum, { requests }) => sum + requests, 0) ?? 0);
  return (
    <Modal open onClose={onClose} title={texts.title(name)} wide>
      <div className="usage-tools">
        <p className="lead">{data && texts.total(total)}</p>
        <PeriodSelect value={period} onChoose={choosePeriod} />
      </div>
      {data ? (
        <Chart
          title={<span className="hint">{texts.caption}</span>}
          summary={texts.total(total)}
          series={[texts.requests]}
          points={toPoints(
            data.days.map(({ date, requests }) => ({ date, values: [requests] })),
            "sum",
          )}
          kind="bars"
        />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </Modal>
  );
}
