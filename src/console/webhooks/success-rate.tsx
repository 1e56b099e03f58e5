import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AttemptsInHour } from "../../client/index.ts";
import { Chart } from "../charts/chart.tsx";
import { type ChartPoint, toPoints } from "../charts/day-points.ts";
import { successRate as texts } from "../texts/delivery-details.ts";
import { formatHour, formatNumber, formatShare } from "../texts/format.ts";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { attemptsQuery } from "./queries.ts";

const periods = ["day", "week", "month"] as const;
type Period = (typeof periods)[number];
const days: Record<Exclude<Period, "day">, number> = { week: 7, month: 30 };

/** How many attempts of a webhook the receiver has accepted over time. */
export function SuccessRate({ id }: { readonly id: number }) {
  const [period, setPeriod] = useState<Period>("week");
  const { data, error, refetch } = useQuery(attemptsQuery(id, countHours(period, new Date())));
  return (
    <Section
      className="success-rate"
      title={texts.title}
      hint={texts.hint}
      tools={
        <Select
          className="input period-select"
          aria-label={texts.period}
          value={period}
          options={periods}
          getLabel={(each) => texts.periods[each]}
          onChoose={setPeriod}
        />
      }
    >
      {data ? (
        <Chart
          title={summaryOf(data.hours)}
          summary={summaryOf(data.hours)}
          series={[texts.accepted, texts.failed]}
          points={period === "day" ? data.hours.map(toPoint) : toDays(data.hours)}
          kind="bars"
        />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </Section>
  );
}

/** Whole days (UTC) up to this hour, or 24 hours. */
function countHours(period: Period, now: Date): number {
  return period === "day" ? 24 : (days[period] - 1) * 24 + now.getUTCHours() + 1;
}

function summaryOf(hours: readonly AttemptsInHour[]): string {
  const accepted = hours.reduce((sum, hour) => sum + hour.accepted, 0);
  const total = hours.reduce((sum, hour) => sum + hour.failed, accepted);
  return total === 0 ? texts.none : texts.rate(formatShare(accepted / total), formatNumber(total));
}

function toPoint({ hour, accepted, failed }: AttemptsInHour): ChartPoint {
  return { label: formatHour(hour), values: [accepted, failed] };
}

function toDays(hours: readonly AttemptsInHour[]): ChartPoint[] {
  const byDay = Map.groupBy(hours, ({ hour }) => hour.slice(0, 10));
  const sum = (day: readonly AttemptsInHour[], key: "accepted" | "failed") =>
    day.reduce((total, hour) => total + hour[key], 0);
  const counted = [...byDay].map(([date, day]) => ({
    date,
    values: [sum(day, "accepted"), sum(day, "failed")],
  }));
  return toPoints(counted, "sum");
}
